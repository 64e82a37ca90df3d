import { spawn } from 'node:child_process';
import type { RunningContainer } from '../pod/probe-results.ts';

export interface CommandResult {
  exitCode: number;
  /** Both streams as they came, cut off after 10 KB as the kubelet does. */
  output: string;
}

/** It did not end in time, and was killed. */
export class CommandTimeout extends Error {
  override readonly name = 'CommandTimeout';
}

const maxOutput = 10 * 1024;

/** Runs a command beside a container's own program, with its environment and its view of the files. */
export function runInContainer(
  { prepared, join }: Pick<RunningContainer, 'prepared' | 'join'>,
  command: readonly string[],
  signal: AbortSignal,
): Promise<CommandResult> {
  const [program = '', ...args] = join(command);
  return new Promise((resolve, reject) => {
    // A group of its own: what it has started goes with it.
    const child = spawn(program, args, {
      cwd: prepared.cwd,
      env: prepared.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    const take = (part: Buffer) => {
      if (output.length < maxOutput) output += part.toString('utf8').slice(0, maxOutput - output.length);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    const kill = () => {
      if (child.pid !== undefined) killGroup(child.pid);
      reject(new CommandTimeout(`command timed out: ${JSON.stringify(command.join(' '))}`));
    };
    if (signal.aborted) kill();
    else signal.addEventListener('abort', kill, { once: true });
    child.on('error', (error) => {
      signal.removeEventListener('abort', kill);
      reject(error);
    });
    child.on('close', (code, killedBy) => {
      signal.removeEventListener('abort', kill);
      resolve({ exitCode: code ?? (killedBy === null ? 1 : 137), output });
    });
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended just now.
  }
}
