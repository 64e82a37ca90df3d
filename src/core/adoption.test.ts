import { describe, expect, test } from 'vitest';
import { type AdoptionInput, adopt } from './adoption.ts';
import type { ConfigKey } from './assignment.ts';

const references = [
  { kind: 'ConfigMap', name: 'foo' },
  { kind: 'Secret', name: 'db' },
] as const;

const decide = (mods: Partial<AdoptionInput>) => {
  const { managed, lost, ended } = adopt({
    managements: [{ mode: 'unsaid' }],
    references,
    ownedBy: () => false,
    before: new Set(),
    ...mods,
  });
  return { managed: [...managed].sort(), lost: [...lost], ended: [...ended] };
};

const before = new Set<ConfigKey>(['ConfigMap/foo']);

describe('a workload is managed', () => {
  test('for nothing unless it opts in', () => {
    expect(decide({}).managed).toEqual([]);
  });

  test('for all it references', () => {
    expect(decide({ managements: [{ mode: 'all' }] }).managed).toEqual(['ConfigMap/foo', 'Secret/db']);
  });

  test('for what a config names it the owner of', () => {
    expect(decide({ ownedBy: (_, name) => name === 'db' }).managed).toEqual(['Secret/db']);
  });

  test('for what it was managed for, though its opt-in vanished: that is noticed', () => {
    expect(decide({ before })).toEqual({ managed: ['ConfigMap/foo'], lost: ['ConfigMap/foo'], ended: [] });
  });
});

describe('management ends', () => {
  test('when the workload says so', () => {
    expect(decide({ managements: [{ mode: 'none' }], before })).toEqual({
      managed: [],
      lost: [],
      ended: ['ConfigMap/foo'],
    });
  });

  test('also against an owner reference', () => {
    expect(decide({ managements: [{ mode: 'none' }], ownedBy: () => true }).managed).toEqual([]);
  });

  test('when its template no longer references the config', () => {
    expect(decide({ references: [], before }).ended).toEqual(['ConfigMap/foo']);
  });
});
