import { createInterface } from 'node:readline';
import type { Flag } from '@trimtab/kube/flags/flags.ts';
import type { ProgramIo } from '@trimtab/kube/flags/program-io.ts';
import { CommandFailure } from './failure.ts';

export const yesFlag = {
  type: 'boolean',
  short: 'y',
  help: 'Do not ask for confirmation. Without a terminal, commands do not ask.',
} as const satisfies Flag;

export const dryRunFlag = {
  type: 'boolean',
  help: 'Print what would be done. The API server checks the requests and stores nothing.',
} as const satisfies Flag;

/** Whether the command can ask its user: both input and output are a terminal. */
export function canAsk({ stdin, stdout }: Pick<ProgramIo, 'stdin' | 'stdout'>): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}

/** Asks on a terminal, and returns true without a question elsewhere. Everything but `y` or `yes` means no. */
export async function confirm(io: ProgramIo, question: string): Promise<boolean> {
  return !canAsk(io) || /^\s*y(es)?\s*$/i.test(await ask(io, `${question} [y/N] `));
}

/** Like `confirm`; throws when the answer is no, so that nothing is changed. */
export async function confirmOrStop(io: ProgramIo, question: string): Promise<void> {
  if (!(await confirm(io, question))) throw new CommandFailure('not confirmed; nothing was changed');
}

/** Returns an empty answer for Ctrl-C and for the end of the input. */
function ask(io: ProgramIo, question: string): Promise<string> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: io.stdin });
    const stopListening = io.onInterrupt(() => lines.close());
    let answer: string | undefined;
    lines.once('line', (line) => {
      answer = line;
      lines.close();
    });
    lines.once('close', () => {
      stopListening();
      if (answer === undefined) io.stdout.write('\n');
      resolve(answer ?? '');
    });
    // Last, because the answer may be there already.
    io.stdout.write(question);
  });
}
