import { spawn } from 'node:child_process';
import type { RunningContainer } from '../pod/probe-results.ts';

export interface CommandResult {
  exitCode: number;
  /** Stdout and stderr interleaved in order of arrival, truncated to 10 KB as by the kubelet. */
  output: string;
}

/** The command exceeded its timeout and was killed. */
export class CommandTimeout extends Error {
  override readonly name = 'CommandTimeout';
}

const maxOutput = 10 * 1024;

/** Runs a command in a running container, with the container's environment and view of the file system. */
export function runInContainer(
  { prepared, join }: Pick<RunningContainer, 'prepared' | 'join'>,
  command: readonly string[],
  signal: AbortSignal,
): Promise<CommandResult> {
  const [program = '', ...args] = join(command);
  return new Promise((resolve, reject) => {
    // A separate process group, so that killing it also kills the processes that the command started.
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
    // The group has already ended.
  }
}
