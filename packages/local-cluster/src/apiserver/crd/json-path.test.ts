import { describe, expect, test } from 'vitest';
import { findAll, parseJsonPath, setAt } from './json-path.ts';

const object = {
  spec: { size: 3, 'a.b': 'dotted', list: [{ n: 1 }, { n: 2 }] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Other', status: 'False' },
    ],
  },
};
const found = (path: string) => findAll(object, parseJsonPath(path) ?? []);

describe('a path of a printer column', () => {
  test.each([
    ['.spec.size', [3]],
    ['{.spec.size}', [3]],
    ["$.spec['a.b']", ['dotted']],
    ['.spec.a\\.b', ['dotted']],
    ['.spec.list[1].n', [2]],
    ['.spec.list[-1].n', [2]],
    ['.spec.list[*].n', [1, 2]],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    ['.nothing.here', []],
    ['.spec.constructor', []],
  ])('%s finds %j', (path, expected) => {
    expect(found(path)).toEqual(expected);
  });

  test.each(['spec', '.a[', '.a[?(1)]', '..a'])('%s is none', (text) => {
    expect(parseJsonPath(text)).toBeUndefined();
  });
});

test('a scale is written where it is not yet, and never into a prototype', () => {
  const written = {};
  setAt(written, parseJsonPath('.spec.replicas') ?? [], 2);
  setAt(written, parseJsonPath('.__proto__.polluted') ?? [], true);
  expect(written).toMatchObject({ spec: { replicas: 2 } });
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
