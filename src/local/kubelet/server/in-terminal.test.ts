import { expect, test } from 'vitest';
import { inTerminal } from './in-terminal.ts';

test('a terminal on Linux runs the words as one line of shell', () => {
  expect(inTerminal(['echo', "it's"], 'linux')).toEqual(
    expect.arrayContaining(['--command', `'echo' 'it'\\''s'`]),
  );
});

test('a terminal on macOS runs the words as they are', () => {
  expect(inTerminal(['echo', "it's"], 'darwin')).toEqual(['script', '-q', '/dev/null', 'echo', "it's"]);
});
