import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { WebSocket } from 'ws';
import type { RunningContainer } from '../pod/probe-results.ts';
import { type ExitStatus, exitStatus, failedStatus } from './exec-status.ts';
import { inTerminal } from './in-terminal.ts';

export interface ExecRequest {
  command: string[];
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  tty: boolean;
}

/** The first byte of each message, as Kubernetes numbers the streams. */
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 } as const;
/** More than that is not read from the program before the client has taken it. */
const maxBuffered = 1024 * 1024;

/** Runs a command in a container, with its streams on a WebSocket; resolves when both are over. */
export function execSession(
  socket: WebSocket,
  { prepared, join }: RunningContainer,
  request: ExecRequest,
): Promise<void> {
  const command = request.tty ? inTerminal(request.command) : request.command;
  const [program = '', ...args] = join(command);
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: prepared.cwd,
      env: request.tty ? { TERM: 'xterm', ...prepared.env } : prepared.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own: a session that is left ends all that it has started.
      detached: true,
    });
    const finish = (status: ExitStatus) => {
      sendOn(socket, channels.error, Buffer.from(JSON.stringify(status)));
      socket.close(1000);
    };
    forward(child.stdout, socket, request.stdout ? channels.stdout : undefined);
    forward(child.stderr, socket, request.stderr ? channels.stderr : undefined);
    child.stdin.on('error', () => {});
    if (!request.stdin) child.stdin.end();
    socket.on('message', (data: Buffer) => {
      const [channel] = data;
      if (channel === channels.stdin && request.stdin) child.stdin.write(data.subarray(1));
      // The fifth version of the protocol tells when there is no more input; before it, nobody could.
      else if (channel === channels.close && data[1] === channels.stdin) child.stdin.end();
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) end(child.pid);
      resolve();
    });
    child.once('error', (error) => finish(failedStatus(request.command, error)));
    child.once('close', (code, signal) => finish(exitStatus(code, signal)));
  });
}

function forward(stream: Readable, socket: WebSocket, channel: number | undefined): void {
  if (channel === undefined) return void stream.resume();
  stream.on('data', (part: Buffer) => {
    stream.pause();
    sendOn(socket, channel, part, () => {
      if (socket.bufferedAmount < maxBuffered) stream.resume();
    });
  });
}

function sendOn(socket: WebSocket, channel: number, part: Buffer, sent: () => void = () => {}): void {
  socket.send(Buffer.concat([Buffer.from([channel]), part]), { binary: true }, () => sent());
}

function end(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended just now.
  }
}
