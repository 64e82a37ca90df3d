import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitWords } from './words.ts';

describe('a line is split into the words of a shell', () => {
  it.each<[text: string, words: string[]]>([
    ['', []],
    [' \t\n', []],
    ['nginx -g  "daemon off;"', ['nginx', '-g', 'daemon off;']],
    [`--name='a b'"c d"e`, ['--name=a bc de']],
    [`'' ""`, ['', '']],
    [`'a\\b' "a\\b" a\\b`, ['a\\b', 'a\\b', 'ab']],
    ['"say \\"hi\\" for \\$1 and \\`more\\`, \\\\"', ['say "hi" for $1 and `more`, \\']],
    [`x\\ y \\' \\"`, ['x y', "'", '"']],
    ['a \\\n b\\\nc "d\\\ne"', ['a', 'bc', 'de']],
    ['"two\nlines"', ['two\nlines']],
    ['$HOME * # ~', ['$HOME', '*', '#', '~']],
  ])('%j', (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });

  it.each(['"open', "it's", `'a' "b`, '"a\\"', 'ends with \\'])('%j is not complete', (text) => {
    expect(splitWords(text)).toBeUndefined();
  });
});

describe('for every list of words', () => {
  const words = fc.array(fc.string({ unit: 'binary' }));

  it('quoted words are returned as they are', () => {
    const single = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
    const double = (word: string) => `"${word.replace(/["\\$`]/g, '\\$&')}"`;
    for (const quote of [single, double]) {
      fc.assert(
        fc.property(words, (list) => {
          expect(splitWords(list.map(quote).join(' '))).toEqual(list);
        }),
      );
    }
  });

  it('the words are those of sh', () => {
    // Without the characters that have a meaning for sh alone.
    const line = fc.string({ unit: fc.constantFrom('a', '=', ' ', '\t', '\n', '"', "'", '\\') });
    const complete = fc
      .sample(line, 300)
      .map((text) => `x ${text}`)
      .filter((text) => splitWords(text) !== undefined);
    // One process for all lines; a line break of the text would end the command of sh.
    const commands = complete.map((text) => `printf '%s\\0' ${oneCommand(text)}; printf '\\1\\0'`);
    const printed = execFileSync('sh', { input: commands.join('\n'), encoding: 'utf8' });
    const expected = printed
      .split('\u0001\0')
      .slice(0, -1)
      .map((part) => part.split('\0').slice(0, -1));
    expect(complete.map((text) => splitWords(text))).toEqual(expected);
  });
});

/** Replaces the line breaks between words by spaces. */
function oneCommand(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|'[^']*'|\\.|\n/gs, (part) => (part === '\n' ? ' ' : part));
}
