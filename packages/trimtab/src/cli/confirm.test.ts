import { Readable } from 'node:stream';
import type { ProgramIo } from '@trimtab/kube/flags/program-io.ts';
import { expect, test } from 'vitest';
import { canAsk, confirm, confirmOrStop } from './confirm.ts';

/** A terminal at which a user types this text. Ctrl-C is an interrupt that arrives with the question. */
function terminal(typed: string, { interrupts = false } = {}) {
  let written = '';
  const stdin = Object.assign(Readable.from(typed === '' ? [] : [Buffer.from(typed)]), { isTTY: true });
  const io: ProgramIo = {
    programName: 'trimtab',
    stdout: { write: (text) => (written += text), isTTY: true },
    stderr: { write: () => true },
    stdin,
    env: {},
    onInterrupt(handler) {
      if (interrupts) queueMicrotask(handler);
      return () => {};
    },
  };
  return { io, written: () => written };
}

test.each(['y\n', 'Y\n', 'yes\n', ' yes \n'])('%j confirms', async (typed) => {
  const { io, written } = terminal(typed);
  await confirmOrStop(io, 'Continue?');
  expect(written()).toBe('Continue? [y/N] ');
});

test.each(['n\n', '\n', 'yesterday\n', ''])('%j does not', async (typed) => {
  await expect(confirmOrStop(terminal(typed).io, 'Continue?')).rejects.toThrow(
    'not confirmed; nothing was changed',
  );
});

test('Ctrl-C is a no, and leaves the cursor on a new line', async () => {
  const { io, written } = terminal('', { interrupts: true });
  await expect(confirmOrStop(io, 'Continue?')).rejects.toThrow('not confirmed');
  expect(written()).toBe('Continue? [y/N] \n');
});

test('only a terminal is asked', () => {
  const { io } = terminal('y\n');
  expect(canAsk(io)).toBe(true);
  expect(canAsk({ ...io, stdout: { write: () => true } })).toBe(false);
  expect(canAsk({ ...io, stdin: Readable.from([]) })).toBe(false);
});

test('without a terminal nobody is asked, and the answer is yes', async () => {
  const { io, written } = terminal('n\n');
  expect(await confirm({ ...io, stdout: { write: () => true } }, 'Continue?')).toBe(true);
  expect(written()).toBe('');
});
