import { describe, expect, test } from 'vitest';
import { parseEnvFile } from './env-file.ts';

function parse(
  text: string | Buffer,
  env: Record<string, string> = {},
  kind: 'ConfigMap' | 'Secret' = 'ConfigMap',
) {
  const found = parseEnvFile(kind, 'app.env', Buffer.from(text as string), env);
  return found.map(({ key, value }) => `${key}=${value}`);
}

describe('an env file', () => {
  test('has one variable in a line, without quotes, escapes or trimming of the value', () => {
    expect(parse('a=1\nb="two words" \n  c=#3\n\td=x=y')).toEqual(['a=1', 'b="two words" ', 'c=#3', 'd=x=y']);
  });

  test('may have comments, blank lines, a byte order mark and line ends of Windows', () => {
    expect(parse('\uFEFFa=1\r\n\r\n  # b=2\r\n   \n\u00a0c=3\r')).toEqual(['a=1', 'c=3']);
    expect(parse('')).toEqual([]);
  });

  test('may have a line of any length', () => {
    expect(parse(`a=${'x'.repeat(70_000)}\nb=2`).map((entry) => entry.length)).toEqual([70_002, 3]);
  });

  test('takes the value of a variable without = from the environment', () => {
    expect(parse('HOST\nMISSING', { HOST: 'db.example.com' })).toEqual(['HOST=db.example.com', 'MISSING=']);
  });

  test('names the line with bytes that are not UTF-8, and does not show them', () => {
    const bytes = Buffer.from([0x61, 0x3d, 0x31, 0x0a, 0x62, 0x3d, 0xff, 0x0a]);
    expect(() => parse(bytes)).toThrow(/^env file app.env contains invalid utf8 bytes at line 2$/);
  });

  test.each([
    ['1a=x', '"1a" is not a valid key name: a valid environment variable name'],
    ['a b=x', '"a b" is not a valid key name'],
    ['..a=x', `"..a" is not a valid key name: must not start with '..'`],
    ['=x', '"" is not a valid key name'],
  ])('%s is refused', (line, message) => {
    expect(() => parse(`ok=1\n${line}\n`)).toThrow(message);
  });

  test('of a Secret is never quoted in an error', () => {
    expect(() => parse('ok=1\nhunter two\n', {}, 'Secret')).toThrow(
      /^line 2 of env file app.env is not a valid key name/,
    );
  });
});
