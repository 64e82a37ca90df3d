import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { annotations } from '../../api/names.ts';
import {
  formatManage,
  type Management,
  manages,
  parseManage,
  parseRelease,
  parseRestart,
  parseWave,
} from './opt-in.ts';

const manage = (text: string) => parseManage({ [annotations.manage]: text });

describe('a workload opts in with trimtab.dev/manage', () => {
  test.each<[string, Management]>([
    ['true', { mode: 'all' }],
    ['false', { mode: 'none' }],
    ['foo', { mode: 'some', configs: [{ kind: 'ConfigMap', name: 'foo' }] }],
    [
      'foo, secret/bar',
      {
        mode: 'some',
        configs: [
          { kind: 'ConfigMap', name: 'foo' },
          { kind: 'Secret', name: 'bar' },
        ],
      },
    ],
    ['configmap/true', { mode: 'some', configs: [{ kind: 'ConfigMap', name: 'true' }] }],
  ])('"%s"', (text, value) => {
    expect(manage(text)).toEqual({ value });
  });

  test('and without it, it has said nothing: management is sticky, so that is not an opt-out', () => {
    expect(parseManage({})).toEqual({ value: { mode: 'unsaid' } });
    expect(parseManage(undefined)).toEqual({ value: { mode: 'unsaid' } });
  });

  test.each(['', 'yes please', 'foo,,bar', 'pod/foo', 'secret/', 'Foo'])(
    '"%s" is refused, and the message says what to write',
    (text) => {
      expect(manage(text)).toEqual({ problem: expect.stringContaining('"foo,secret/bar"') });
    },
  );
});

test('only the listed configs are managed', () => {
  const some: Management = { mode: 'some', configs: [{ kind: 'Secret', name: 'db' }] };
  expect(manages(some, { kind: 'Secret', name: 'db' })).toBe(true);
  expect(manages(some, { kind: 'ConfigMap', name: 'db' })).toBe(false);
  expect(manages({ mode: 'all' }, { kind: 'ConfigMap', name: 'db' })).toBe(true);
  for (const mode of ['none', 'unsaid'] as const)
    expect(manages({ mode }, { kind: 'Secret', name: 'db' })).toBe(false);
});

test.each([
  ['auto', 'Auto'],
  ['manual', 'Manual'],
  ['locked', 'Locked'],
])('release mode %s', (text, value) => {
  expect(parseRelease({ [annotations.release]: text })).toEqual({ value });
});

test('a workload recycles its pods unless it asks for a reload', () => {
  expect(parseRestart({})).toEqual({ value: 'recycle' });
  expect(parseRestart({ [annotations.restart]: 'false' })).toEqual({ value: 'reload' });
});

test('waves are whole numbers, and 0 unless told', () => {
  expect(parseWave({})).toEqual({ value: 0 });
  expect(parseWave({ [annotations.wave]: '-1' })).toEqual({ value: -1 });
  expect(parseWave({ [annotations.wave]: '2.5' })).toEqual({
    problem: expect.stringContaining('trimtab.dev/wave'),
  });
});

test('whatever people write, they get a value or a sentence', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), (text) => {
      for (const [key, parse] of Object.entries({
        [annotations.manage]: parseManage,
        [annotations.release]: parseRelease,
        [annotations.restart]: parseRestart,
        [annotations.wave]: parseWave,
      })) {
        const parsed = parse({ [key]: text });
        if ('problem' in parsed)
          expect(parsed.problem).toMatch(new RegExp(`^Annotation ${key} has the value .* must be `, 's'));
      }
    }),
  );
});

describe('the annotation that manages a list of configs', () => {
  const configs = fc.array(
    fc.record({
      kind: fc.constantFrom('ConfigMap' as const, 'Secret' as const),
      name: fc.constantFrom('foo', 'true', 'false', 'a.b-c', 'x'),
    }),
    { minLength: 1 },
  );

  test('is read as it was written', () => {
    fc.assert(
      fc.property(configs, (list) => {
        const text = formatManage(list);
        expect(parseManage({ [annotations.manage]: text })).toEqual({
          value: { mode: 'some', configs: list },
        });
      }),
    );
  });

  test('opts out of everything when the list is empty', () => {
    expect(parseManage({ [annotations.manage]: formatManage([]) })).toEqual({ value: { mode: 'none' } });
  });
});
