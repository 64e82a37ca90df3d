import { expect, test } from 'vitest';
import { inTerminal } from './terminal.ts';

test('a terminal on Linux runs the words as one line of shell', () => {
  const [program, ...words] = inTerminal(['echo', "it's"], 'linux');
  const line = words[words.indexOf('--command') + 1];
  expect([program, line]).toEqual(['script', expect.stringMatching(/exec 'echo' 'it'\\''s'$/)]);
});

test('a terminal on macOS takes a command as it is', () => {
  expect(inTerminal(['echo', "it's"], 'darwin')).toEqual([
    ...['script', '-q', '/dev/null', 'sh', '-c'],
    expect.stringMatching(/exec 'echo' 'it'\\''s'$/),
  ]);
});
