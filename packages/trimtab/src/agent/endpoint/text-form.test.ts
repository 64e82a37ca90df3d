import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dictionaryOf } from './dictionary.ts';
import { toText } from './text-form.ts';

function textOf(entries: Record<string, string | Buffer>): string {
  const content = new Map(Object.entries(entries).map(([key, value]) => [key, Buffer.from(value)]));
  return toText(dictionaryOf([{ kind: 'ConfigMap', name: 'foo', version: '1.0.3', entries: content }]));
}

/** The rules of the documentation, as a script would implement them. */
function parse(text: string): Map<string, string> {
  const lines = text.split(/[\n\r\u0085\u2028\u2029]/).filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [key = '', ...rest] = line.split('=');
      const value = rest.join('=');
      return [key, value.startsWith('"') ? JSON.parse(value) : value.trim()];
    }),
  );
}

describe('a script reads the text form', () => {
  test('as one line for each entry', () => {
    expect(textOf({ 'log.level': 'debug', url: 'http://a/?b=c#d', empty: '', json: '{"a": 1}' })).toBe(
      'configmap/foo=1.0.3\nlog.level=debug\nurl=http://a/?b=c#d\nempty=\njson={"a": 1}\n',
    );
  });

  test('with several lines in one value', () => {
    expect(textOf({ motd: 'Welcome\nto "foo"\n' })).toContain('\nmotd="Welcome\\nto \\"foo\\"\\n"\n');
  });

  test('with lists of the keys that are base64', () => {
    const text = textOf({ a: Buffer.from([0xff]), b: Buffer.from([0xfe]) });
    expect(text).toBe('configmap/foo=1.0.3\na=/w==\nb=/g==\ntrimtab.dev/base64=a,b\n');
  });

  test('with the keys that collide', () => {
    const entries = new Map([['k', Buffer.from('x')]]);
    const config = { kind: 'ConfigMap', version: '1', entries } as const;
    const text = toText(
      dictionaryOf([
        { ...config, name: 'a' },
        { ...config, name: 'b' },
      ]),
    );
    expect(text).toContain('\ntrimtab.dev/collisions=k\n');
  });

  test('and finds every value again, whatever it contains', () => {
    const special = fc.constantFrom(
      '\n',
      '\r\n',
      '"',
      "'",
      '#',
      ' ',
      '\t',
      '\\',
      '=',
      '\u2028',
      '\u0085',
      '\0',
      'ü🚢',
    );
    const value = fc.oneof(
      fc.string(),
      fc.array(special).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(value, (text) => {
        expect(parse(textOf({ key: text })).get('key')).toBe(text);
      }),
    );
  });
});
