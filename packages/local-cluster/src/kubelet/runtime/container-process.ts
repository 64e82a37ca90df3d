import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { LogStream } from '../logs/log-line.ts';
import { type Birth, processesSoFar } from './later-processes.ts';
import { markVariable } from './marked-processes.ts';
import { closeWriter, type OutputPipes } from './output-pipes.ts';
import { identityOf, type ProcessIdentity } from './process-identity.ts';
import { exitCodeOf, signalGroup } from './signals.ts';
import type { Sweeper } from './sweeper.ts';
import { Terminal, terminalFd } from './terminal.ts';

export interface ProcessOptions {
  id: string;
  command: readonly string[];
  env: Record<string, string>;
  cwd: string;
  /** Consumes output; the pending promise applies backpressure to the program. */
  output(stream: LogStream, chunk: Buffer): Promise<void>;
  sweeper: Sweeper;
  pipes: OutputPipes;
  /** Whether the program has a stdin; otherwise it reads from /dev/null. */
  hasInput?: boolean;
  /** Whether the command runs in a terminal; see `inTerminal`. */
  hasTerminal?: boolean;
}

/** The process group of one container. */
export interface ContainerProcess {
  identity: ProcessIdentity;
  /** Resolves with the exit code once the program has exited, its output is consumed and its group is killed. */
  ended: Promise<number>;
  signal(signal: NodeJS.Signals): void;
  stdin?: Writable;
  terminal?: Terminal;
}

/** The program could not be started. `code` is the system error code, such as `ENOENT`. */
class StartFailure extends Error {
  override readonly name = 'StartFailure';
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** How long to wait for the end of output that a surviving process keeps open. */
const drainMs = 1_000;

/** Starts a program in a new session, and thereby in a new process group. */
export async function startProcess(options: ProcessOptions): Promise<ContainerProcess> {
  const { command, cwd, env, id, pipes, hasInput, hasTerminal } = options;
  const [program = '', ...args] = command;
  const [out, err] = await Promise.all([pipes.take(), pipes.take()]);
  const { promise, resolve, reject } = Promise.withResolvers<ContainerProcess>();
  const processesBefore = processesSoFar();
  try {
    const child = spawn(program, args, {
      cwd,
      env: { ...env, [markVariable]: id },
      detached: true,
      stdio: [
        hasInput ? 'pipe' : 'ignore',
        out?.writer ?? 'pipe',
        err?.writer ?? 'pipe',
        ...(hasTerminal ? (['pipe'] as const) : []),
      ],
    });
    // The event also reports a failed kill; rejecting a settled promise has no effect.
    child.on('error', (error) => reject(failureOf(error)));
    const outputs = { stdout: out?.reader ?? child.stdout, stderr: err?.reader ?? child.stderr };
    const { pid } = child;
    if (pid !== undefined) resolve(follow(child, { pid, processesBefore }, outputs, options));
  } catch (error) {
    // Spawn throws for a NUL in an argument and when processes or file descriptors are exhausted.
    reject(failureOf(error));
  }
  for (const pipe of [out, err]) if (pipe !== undefined) closeWriter(pipe);
  promise.catch(() => {
    for (const pipe of [out, err]) pipe?.reader.resume();
  });
  return promise;
}

function follow(
  child: ChildProcess,
  birth: Birth,
  { stdout, stderr }: Record<LogStream, Readable | null>,
  { id, output, sweeper, hasTerminal }: ProcessOptions,
): ContainerProcess {
  const { pid } = birth;
  const drained = Promise.all([drain(stdout, 'stdout', output), drain(stderr, 'stderr', output)]);
  const exited = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => resolve(exitCodeOf(code, signal)));
  });
  const state = { isOver: false };
  const { stdin } = child;
  // The program may close its stdin or exit at any time.
  stdin?.on('error', () => {});
  const ended = exited.then(async (exitCode) => {
    // Surviving children belong to the container and end with it.
    signalGroup(pid, 'SIGKILL');
    state.isOver = true;
    await sweeper.sweep(id, birth);
    await Promise.race([drained, timeout(drainMs)]);
    for (const each of [stdin, stdout, stderr]) each?.destroy();
    return exitCode;
  });
  const terminal = hasTerminal ? new Terminal(child.stdio[terminalFd]) : undefined;
  return {
    // The process is in the table: it is not reaped before its exit event, and a zombie also has a start time.
    identity: identityOf(pid) ?? { pid, began: 'unknown' },
    ended,
    ...(stdin !== null && { stdin }),
    ...(terminal !== undefined && { terminal }),
    signal(signal) {
      // The PID may belong to another process by now.
      if (state.isOver) return;
      // `script` does not forward signals: it would exit at once, and the program's last output would be lost.
      const receiver = signal === 'SIGKILL' ? undefined : terminal?.leader;
      signalGroup(receiver ?? pid, signal);
    },
  };
}

async function drain(
  stream: Readable | null,
  name: LogStream,
  output: ProcessOptions['output'],
): Promise<void> {
  if (stream === null) return;
  try {
    for await (const chunk of stream) await output(name, chunk);
  } catch {
    // The stream was destroyed after the exit of the program.
  }
}

function timeout(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

function failureOf(error: unknown): StartFailure {
  const { code = 'UNKNOWN', message } = error as NodeJS.ErrnoException;
  return new StartFailure(code, message);
}
