import { expect, test } from 'vitest';
import { inTerminal, kindOf } from './terminal.ts';

const missing = { error: new Error('ENOENT'), stdout: null };
const utilLinux = { stdout: 'script from util-linux 2.38.1\n' };
const silent = { stdout: '' };

test.each([
  ['util-linux is known by its version', utilLinux, 'linux', 'util-linux'],
  ['util-linux is known on another system, too', utilLinux, 'darwin', 'util-linux'],
  ['macOS has the one of the BSDs', silent, 'darwin', 'bsd'],
  ['an unknown one on Linux is none', silent, 'linux', 'none'],
  ['one that is not there is none', missing, 'darwin', 'none'],
] as const)('%s', (_, answer, platform, kind) => {
  expect(kindOf(answer, platform)).toBe(kind);
});

test('a command keeps its words in a terminal of either kind', () => {
  const words = `exec 'echo' 'it'\\''s'`;
  expect(inTerminal(['echo', "it's"], 'util-linux').find((each) => each.endsWith(words))).toBeDefined();
  const bsd = inTerminal(['echo', "it's"], 'bsd');
  expect(bsd.slice(0, 5)).toEqual(['script', '-q', '/dev/null', 'sh', '-c']);
  expect(bsd[5]).toMatch(new RegExp(`${words.replaceAll('\\', '\\\\')}$`));
});
