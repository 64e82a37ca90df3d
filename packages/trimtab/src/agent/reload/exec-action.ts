import { spawn } from 'node:child_process';
import { trackChild } from '../application/own-children.ts';
import { killGroup } from '../application/process-group.ts';
import { type Action, type Attempt, type Outcome, refused, succeeded } from './outcome.ts';
import { openOutputFile } from './output-file.ts';

interface ExecActionOptions {
  words: readonly string[];
  /** A folder that the agent may write to, for the output of the command. */
  folder: string;
}

/** Runs a command without a shell; exit code 0 is a success. It is killed with all its children when the time is over. */
export function execAction({ words, folder }: ExecActionOptions): Action {
  const [program = '', ...args] = words;
  return {
    name: program,
    async run({ signal }: Attempt): Promise<Outcome> {
      const output = openOutputFile(folder);
      // Some errors of a start are thrown, such as ENOTDIR; others are events.
      const end = await ended(program, args, output?.descriptor ?? 'ignore', signal).catch(
        (error: NodeJS.ErrnoException) => `cannot run ${program}: ${error.code ?? error.message}`,
      );
      const text = output?.close();
      return end === undefined ? succeeded : refused(end, text);
    },
  };
}

/** Returns why the command failed; undefined when it succeeded. */
function ended(
  program: string,
  args: readonly string[],
  output: number | 'ignore',
  signal: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { detached: true, stdio: ['ignore', output, output] });
    trackChild(child);
    const kill = () => killGroup(child.pid);
    const finish = (end: string | undefined) => {
      signal.removeEventListener('abort', kill);
      resolve(end);
    };
    signal.addEventListener('abort', kill, { once: true });
    child.once('error', (error: NodeJS.ErrnoException) =>
      finish(`cannot run ${program}: ${error.code ?? error.message}`),
    );
    child.once('exit', (code, by) => {
      if (code === 0) return finish(undefined);
      finish(
        `${program} ${signal.aborted ? 'did not end in time' : `ended with ${by ?? `exit code ${code}`}`}`,
      );
    });
  });
}
