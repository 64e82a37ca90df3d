import { spawn } from 'node:child_process';
import type { RunningContainer } from '../pod/probe-results.ts';
import { hasTerminals, inTerminal, noTerminals, Terminal, terminalFd } from '../runtime/terminal.ts';
import { exitStatus, failedStatus } from './exec-status.ts';
import type { SessionStreams, WantedStreams } from './session-streams.ts';

export interface ExecRequest extends WantedStreams {
  command: string[];
}

/** Runs a command in a container, connected to the client's streams. Resolves when command and streams have ended. */
export async function execSession(
  streams: SessionStreams,
  { prepared, join }: RunningContainer,
  { command, tty }: ExecRequest,
): Promise<void> {
  if (tty && !hasTerminals()) return streams.finish(failedStatus(command, new Error(noTerminals)));
  const [program = '', ...args] = tty ? inTerminal(join(command)) : join(command);
  const child = spawn(program, args, {
    cwd: prepared.cwd,
    env: tty ? { TERM: 'xterm', ...prepared.env } : prepared.env,
    stdio: ['pipe', 'pipe', 'pipe', tty ? 'pipe' : 'ignore'],
    // A separate process group, so that a client that disconnects ends all processes of the session.
    detached: true,
  });
  const { stdin, stdout, stderr, over } = streams;
  const leave = () => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) end(child.pid);
  };
  if (over.aborted) leave();
  over.addEventListener('abort', leave, { once: true });
  if (tty) {
    child.stderr?.on('data', (part: Buffer) => stdout?.write(part));
    const terminal = new Terminal(child.stdio[terminalFd]);
    streams.onResize((size) => terminal.resize(size));
  }
  // The program may exit or close its stdin before the client has sent everything.
  child.stdin?.on('error', () => stdin?.resume());
  if (stdin === undefined) {
    // In a terminal, the end of the input would be sent as a typed character.
    if (!tty) child.stdin?.end();
  } else if (child.stdin !== null) stdin.pipe(child.stdin);
  for (const [from, to] of [
    [child.stdout, stdout],
    [child.stderr, stderr],
  ] as const)
    if (to === undefined) from?.resume();
    else from?.pipe(to, { end: false });
  const status = await new Promise<ReturnType<typeof exitStatus>>((resolve) => {
    child.once('error', (error) => resolve(failedStatus(command, error)));
    child.once('close', (code, signal) => resolve(exitStatus(code, signal)));
  });
  if (!over.aborted) await streams.finish(status);
}

function end(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has already ended.
  }
}
