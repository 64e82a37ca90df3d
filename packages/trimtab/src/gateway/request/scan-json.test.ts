import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scanJson } from './scan-json.ts';

test('whatever JSON.parse takes is JSON, and the other way round', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"\\u00e9"',
    '1',
    '-0.5e3',
    '01',
    'true',
    'nul',
    ' ',
    '\n',
  );
  const texts = fc.oneof(
    fc.array(pieces, { maxLength: 12 }).map((all) => all.join('')),
    fc.json(),
    fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([json, at, junk]) => {
      const where = at % (json.length + 1);
      return json.slice(0, where) + junk + json.slice(where);
    }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(scanJson(text, Number.POSITIVE_INFINITY).errorAt === undefined).toBe(parses(text));
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['{"a":1,"a":2}', ['a']],
  ['{"metadata":{"name":"x","name":"y"}}', ['metadata.name']],
  ['{"data":{"a":"1","\\u0061":"2"}}', ['data.a']],
  ['{"a":[{"b":1},{"b":1,"b":2}]}', ['a[1].b']],
  ['{"a":{"x":1},"b":{"x":1}}', []],
  ['{"__proto__":1,"__proto__":2}', ['__proto__']],
])('%s has these keys twice: %j', (text, duplicates) => {
  expect(scanJson(text)).toEqual({ duplicates });
});

test.each([
  ['', 0],
  ['{"a":}', 5],
  ['{"a":1,}', 7],
  ['[1 2]', 3],
  ['{} x', 3],
  ['{"a":"b', 7],
])('%s stops being JSON at %i', (text, errorAt) => {
  expect(scanJson(text).errorAt).toBe(errorAt);
});

test('three megabytes of brackets, or of one string, harm nobody', () => {
  expect(scanJson('['.repeat(3_000_000))).toMatchObject({ tooDeep: true });
  expect(scanJson(`"${'x'.repeat(3_000_000)}"`)).toEqual({ duplicates: [] });
  expect(scanJson(`[${'"\\n",'.repeat(500_000)}1]`)).toEqual({ duplicates: [] });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
