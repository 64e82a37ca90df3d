import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonText } from './json.ts';

const key = fc.oneof(fc.string(), fc.nat().map(String));
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constant(null),
    fc.array(tie('value')),
    fc.dictionary(key, tie('value')),
  ),
})).value;

test('numbers as keys come in the order of texts, in one line and indented', () => {
  const object = { spec: 1, data: { b: '', 9: '', 10: '' }, list: [{ 2: [], 10: {} }] };
  expect(jsonText(object)).toBe('{"spec":1,"data":{"10":"","9":"","b":""},"list":[{"10":{},"2":[]}]}');
  expect(jsonText({ 9: 1, 10: [2] }, '  ')).toBe('{\n  "10": [\n    2\n  ],\n  "9": 1\n}');
});

test('whatever the keys are, the same value is read back, and indenting changes nothing but spaces', () => {
  fc.assert(
    fc.property(json, (value) => {
      const expected: unknown = JSON.parse(JSON.stringify(value));
      expect(JSON.parse(jsonText(value))).toEqual(expected);
      expect(JSON.parse(jsonText(value, '  '))).toEqual(expected);
      expect(jsonText(value)).toHaveLength(JSON.stringify(value).length);
      expect(jsonText(value, '  ')).toHaveLength(JSON.stringify(value, undefined, 2).length);
    }),
  );
});
