import { spawn } from 'node:child_process';
import { trackChild } from '../application/own-children.ts';
import { killGroup } from '../application/process-group.ts';
import { type Action, type Attempt, type Outcome, refused, succeeded } from './outcome.ts';

/** The end of a command's output that is kept for the log. */
const maxOutputBytes = 2_048;

interface ExecActionOptions {
  words: readonly string[];
  /** Variables in addition to those of the agent. */
  env?: Record<string, string>;
}

/** Runs a command without a shell; exit code 0 is a success. It is killed with all its children when the time is over. */
export function execAction({ words, env = {} }: ExecActionOptions): Action {
  const [program = '', ...args] = words;
  return {
    name: program,
    run: ({ signal }: Attempt) =>
      new Promise<Outcome>((resolve) => {
        let output = '';
        const child = spawn(program, args, {
          env: { ...process.env, ...env },
          detached: true,
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        trackChild(child);
        const kill = () => killGroup(child.pid);
        signal.addEventListener('abort', kill, { once: true });
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding('utf8').on('data', (text: string) => {
            output = (output + text).slice(-maxOutputBytes);
          });
        child.once('error', (error: NodeJS.ErrnoException) => {
          signal.removeEventListener('abort', kill);
          resolve(refused(`cannot run ${program}: ${error.code ?? error.message}`));
        });
        // Not `close`: a child of the command may keep its output open.
        child.once('exit', (code, by) => {
          signal.removeEventListener('abort', kill);
          if (code === 0) return resolve(succeeded);
          const end = signal.aborted ? 'did not end in time' : `ended with ${by ?? `exit code ${code}`}`;
          // The last output may still be in the pipe.
          setImmediate(() => resolve(refused(`${program} ${end}`, output.trim())));
        });
      }),
  };
}
