import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { confirm } from './confirm.ts';

async function answers(text: string, isTTY: boolean): Promise<{ isYes: boolean; asked: string }> {
  let asked = '';
  const output = { write: (part: string) => (asked += part), isTTY };
  const isYes = await confirm(
    {
      programName: 'trimtab',
      stdin: Object.assign(Readable.from(text === '' ? [] : [text]), { isTTY }),
      stdout: output,
      stderr: output,
      env: {},
      onInterrupt: () => () => {},
    },
    'Delete foo?',
  );
  return { isYes, asked };
}

test.each([
  ['y\n', true],
  ['Yes\n', true],
  ['n\n', false],
  ['\n', false],
  ['yesterday\n', false],
  ['', false],
])('on a terminal, %j is %s', async (text, isYes) => {
  expect(await answers(text, true)).toEqual({
    isYes,
    // The end of the input leaves the line of the question.
    asked: `Delete foo? [y/N] ${text === '' ? '\n' : ''}`,
  });
});

test('without a terminal nobody is asked', async () => {
  expect(await answers('', false)).toEqual({ isYes: true, asked: '' });
});
