import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FieldPath, type FieldSet, hasField, withField, withoutField } from './field-set.ts';

const step = fc.oneof(
  fc.constantFrom('spec', 'volumes', 'name').map((field) => ({ field })),
  fc.constantFrom('c', 'd "quoted"').map((item) => ({ item })),
);
const path: fc.Arbitrary<FieldPath> = fc.array(step, { minLength: 1, maxLength: 4 });
const same = (a: FieldPath, b: FieldPath) => JSON.stringify(a) === JSON.stringify(b);
const setOf = (paths: readonly FieldPath[]) => paths.reduce<FieldSet>(withField, {});

describe('a set of fields', () => {
  test('has what was added, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(path, { minLength: 1 }), path, (paths, other) => {
        const set = setOf(paths);
        for (const each of paths) expect(hasField(set, each)).toBe(true);
        expect(hasField(set, other)).toBe(paths.some((each) => same(each, other)));
      }),
    );
  });

  test('loses one field and keeps the others; without any, nothing is left', () => {
    fc.assert(
      fc.property(fc.uniqueArray(path, { minLength: 1, comparator: same }), (paths) => {
        let set: FieldSet | undefined = setOf(paths);
        for (const [index, gone] of paths.entries()) {
          set = withoutField(set ?? {}, gone);
          expect(hasField(set, gone)).toBe(false);
          for (const kept of paths.slice(index + 1)) expect(hasField(set, kept)).toBe(true);
        }
        expect(set).toBeUndefined();
      }),
    );
  });

  test('finds an item however its key is written, and ignores keys of other forms', () => {
    const name = [{ field: 'volumes' }, { item: 'c' }, { field: 'name' }];
    const written = {
      'f:volumes': { 'k:{ "name" : "c" }': { 'f:name': {} }, 'k:{"containerPort":80}': {}, 'k:broken': {} },
    };
    expect(hasField(written, name)).toBe(true);
    expect(withoutField(written, name)).toEqual({
      'f:volumes': { 'k:{"containerPort":80}': {}, 'k:broken': {} },
    });
  });
});
