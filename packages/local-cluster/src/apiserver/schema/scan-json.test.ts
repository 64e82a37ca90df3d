import fc from 'fast-check';
import { expect, test } from 'vitest';
import { goJsonError } from './go-json-error.ts';
import { scanJson } from './scan-json.ts';

test.each([
  ['{"a":1,"a":2}', ['a']],
  ['{"metadata":{"labels":{"x":"1","x":"2"}}}', ['metadata.labels.x']],
  ['{"spec":{"containers":[{"name":"a"},{"name":"b","name":"c"}]}}', ['spec.containers[1].name']],
  ['{"a":{"b":1},"c":{"b":1}}', []],
  ['{"a\\"":1,"a\\"":2}', ['a"']],
  ['{"a":"{\\"a\\":1,\\"a\\":2}"}', []],
  ['[[{"x":1,"x":2}]]', ['[0][0].x']],
])('keys of %s that come twice', (text, expected) => {
  expect(scanJson(text).duplicates.map(({ path }) => path)).toEqual(expected);
});

test('JSON that a serializer wrote has no key twice', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
      expect(scanJson(JSON.stringify(value, undefined, indent))).toMatchObject({
        duplicates: [],
        tooDeep: undefined,
      });
    }),
  );
});

test('a text that goes too deep is told without going there', () => {
  expect(scanJson('['.repeat(100_000)).tooDeep).toBe('[');
});

test.each([
  ['', 'unexpected end of JSON input'],
  ['{"a"', 'unexpected end of JSON input'],
  ['{} x', "invalid character 'x' after top-level value"],
  ['{"a":nope}', "invalid character 'o' in literal null (expecting 'u')"],
  [`{'a':1}`, "invalid character '\\'' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
  ['[1 2]', "invalid character '2' after array element"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['-', "invalid character ' ' in numeric literal"],
  ['{"a":"\\x"}', "invalid character 'x' in string escape code"],
])('%j is no JSON: %s', (text, message) => {
  expect(goJsonError(text)).toBe(message);
});
