import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { yamlText } from './yaml-text.ts';

const padding = 'x'.repeat(128 * 1024);

test('an object is written in the style of YAML', () => {
  expect(yamlText('{"kind":"ConfigMap","data":{"a":"1"}}')).toBe('kind: ConfigMap\ndata:\n  a: "1"\n');
});

describe('a large object', () => {
  test('is written as JSON, on one line', () => {
    const json = JSON.stringify({ kind: 'ConfigMap', data: { padding } });
    expect(yamlText(json)).toBe(`${json}\n`);
  });

  test.each(['1.1', '1.2'] as const)('is the same object for a parser of YAML %s', (version) => {
    const values = fc.dictionary(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 50 }),
      fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.boolean(), fc.constant(null)),
    );
    fc.assert(
      fc.property(values, (data) => {
        const object = { data: Object.entries(data), padding };
        expect(parse(yamlText(JSON.stringify(object)), { version })).toEqual(object);
      }),
      { numRuns: 50 },
    );
  });

  test.each(['\u0085', '\u2028', '\u2029', '\ufeff', '\u007f', '\uffff'])(
    'has the character %j escaped',
    (character) => {
      const text = yamlText(JSON.stringify({ character, padding }));
      expect(text).not.toContain(character);
      expect(JSON.parse(text)).toEqual({ character, padding });
    },
  );
});
