import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { bedEnvironment } from '../bed-environment.ts';
import { openBed } from '../open-bed.ts';
import { bedFolder } from '../state/bed-folder.ts';
import { requireState } from '../state/bed-state.ts';
import type { Arguments } from '../terminal/arguments.ts';
import { BedError } from '../terminal/bed-error.ts';

/** Returns the exit code of the command, or 128 plus the signal number, as a shell does. */
export async function exec(args: Arguments): Promise<number> {
  const command = args.rest.length > 0 ? args.rest : args.operands;
  if (command.length === 0)
    throw new BedError('no command specified', ['Example: npm run cluster -- exec -- kubectl get nodes']);
  const folder = bedFolder(args.name);
  const state = requireState(folder);
  const { within } = openBed(folder, state);
  // Entering a mount namespace changes the working directory to its root.
  const back = within.length === 0 ? [] : ['env', '-C', process.cwd(), '--'];
  const [program = '', ...rest] = [...within, ...back, ...command];
  const child = spawn(program, rest, {
    stdio: 'inherit',
    env: { ...process.env, ...bedEnvironment(folder, state) },
  });
  return new Promise((resolve, reject) => {
    child.on('error', (cause) => reject(new BedError(`cannot run ${program}`, [cause.message], { cause })));
    child.on('close', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
