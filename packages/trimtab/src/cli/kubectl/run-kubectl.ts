import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { ProgramIo } from '@trimtab/kube/flags/program-io.ts';
import { CommandFailure } from '../failure.ts';

/** Counts how often `trimtab kubectl` runs inside itself, because `kubectl` on the PATH may be a script that runs it. */
const depthVariable = 'TRIMTAB_KUBECTL_DEPTH';
const maxDepth = 3;

/** Signals that end or steer kubectl. A terminal sends SIGINT to both programs, so it is not sent again from there. */
const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

/** Runs kubectl with the same arguments and the terminal, files and pipes of this program. Returns its exit code. */
export async function runKubectl(argv: readonly string[], io: ProgramIo): Promise<number> {
  const depth = Number(io.env[depthVariable] ?? 0);
  if (depth >= maxDepth)
    throw new CommandFailure('the kubectl on the PATH runs `trimtab kubectl` again', {
      hint: 'set KUBECTL to the path of kubectl itself',
    });
  const file = io.env['KUBECTL'] || 'kubectl';
  const isInherited = io.stdout === process.stdout;
  // The handlers are there before kubectl starts. Otherwise a signal in between would end this program alone.
  let child: ChildProcess | undefined;
  const restore = isInherited ? onSignals(io, (signal) => child?.kill(signal)) : () => {};
  try {
    child = spawn(file, argv, {
      stdio: isInherited ? 'inherit' : 'pipe',
      env: { ...io.env, [depthVariable]: String(depth + 1) },
    });
    if (!isInherited) connect(child, io);
    return await exitCodeOf(child, file);
  } finally {
    restore();
  }
}

function exitCodeOf(child: ChildProcess, file: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new CommandFailure(
          error.code === 'ENOENT' ? `${file} was not found` : `${file} cannot be run: ${error.code}`,
          { hint: 'install kubectl on the PATH, or set KUBECTL to its path', cause: error },
        ),
      ),
    );
    // The code of a shell for a program that a signal has ended.
    child.once('close', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}

/** Connects the streams of a test. */
function connect(child: ChildProcess, io: ProgramIo): void {
  child.stdout?.setEncoding('utf8').on('data', (text: string) => io.stdout.write(text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => io.stderr.write(text));
  if (child.stdin === null) return;
  // kubectl may end before it has read all of its input.
  child.stdin.on('error', () => {});
  io.stdin.pipe(child.stdin);
}

function onSignals({ stdin }: ProgramIo, forward: (signal: NodeJS.Signals) => void): () => void {
  const handlers = forwarded.map((signal) => {
    const handler = () => {
      if (signal !== 'SIGINT' || !stdin.isTTY) forward(signal);
    };
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  return () => {
    for (const remove of handlers) remove();
  };
}
