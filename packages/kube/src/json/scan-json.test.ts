import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scanJson } from './scan-json.ts';

const nothingToTell = { errorAt: undefined, tooDeep: undefined, duplicates: [] };

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
      expect(scanJson(text, { maxDepth: Number.POSITIVE_INFINITY }).errorAt === undefined).toBe(parses(text));
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['{"a":1,"a":2}', ['a']],
  ['{"metadata":{"name":"x","name":"y"}}', ['metadata.name']],
  ['{"metadata":{"labels":{"x":"1","x":"2"}}}', ['metadata.labels.x']],
  ['{"data":{"a":"1","\\u0061":"2"}}', ['data.a']],
  ['{"a\\"":1,"a\\"":2}', ['a"']],
  ['{"a":[{"b":1},{"b":1,"b":2}]}', ['a[1].b']],
  ['{"spec":{"containers":[{"name":"a"},{"name":"b","name":"c"}]}}', ['spec.containers[1].name']],
  ['[[{"x":1,"x":2}]]', ['[0][0].x']],
  ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ['{"a":{"x":1},"b":{"x":1}}', []],
  ['{"a":{"b":1},"c":{"b":1}}', []],
  ['{"a":"{\\"a\\":1,\\"a\\":2}"}', []],
])('%s has these keys twice: %j', (text, expected) => {
  const { errorAt, tooDeep, duplicates } = scanJson(text);
  expect([errorAt, tooDeep, duplicates.map(({ path }) => path)]).toEqual([undefined, undefined, expected]);
});

test('JSON that a serializer wrote has no key twice', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
      expect(scanJson(JSON.stringify(value, undefined, indent))).toMatchObject(nothingToTell);
    }),
  );
});

test('of a key that comes twice it is told where the second stands, of a wanted path where the first does', () => {
  const { duplicates, positions } = scanJson('{"a":[{"b":1,"b":2}],"c":3}', {
    wanted: new Set(['a[0].b', 'c', 'd']),
  });
  expect(duplicates).toEqual([{ path: 'a[0].b', at: 13 }]);
  expect([...positions]).toEqual([
    ['a[0].b', 7],
    ['c', 21],
  ]);
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
  expect(scanJson('['.repeat(3_000_000))).toMatchObject({ tooDeep: '[' });
  expect(scanJson(`"${'x'.repeat(3_000_000)}"`)).toMatchObject(nothingToTell);
  expect(scanJson(`[${'"\\n",'.repeat(500_000)}1]`)).toMatchObject(nothingToTell);
});

test('4,000 keys below a key of a megabyte harm nobody who wants a path', () => {
  const keys = Array.from({ length: 4_000 }, (_, n) => `"${n}":1`).join(',');
  const { positions } = scanJson(`{"${'x'.repeat(1_000_000)}":{${keys}},"a":1}`, { wanted: new Set(['a']) });
  expect([...positions.keys()]).toEqual(['a']);
});

test('a text that goes too deep is told without going there', () => {
  expect(scanJson('['.repeat(100_000)).tooDeep).toBe('[');
  expect(scanJson('{"a":{}}', { maxDepth: 2 }).tooDeep).toBeUndefined();
  expect(scanJson('{"a":{}}', { maxDepth: 1 }).tooDeep).toBe('{');
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
