import { describe, expect, test } from 'vitest';
import type { ConfigKey } from '../references/config-key.ts';
import { type AdoptionInput, adopt } from './adoption.ts';

const references = [
  { kind: 'ConfigMap', name: 'foo' },
  { kind: 'Secret', name: 'db' },
] as const;

const decide = (mods: Partial<AdoptionInput>) => {
  const { managed, lost, ended, toRevert, obstacles } = adopt({
    managements: [{ mode: 'unsaid' }],
    references,
    ownedBy: () => false,
    before: new Set(),
    assigned: new Set(),
    obstacleTo: () => undefined,
    ...mods,
  });
  return {
    managed: [...managed].sort(),
    lost: [...lost],
    ended: [...ended],
    toRevert: [...toRevert],
    obstacles,
  };
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
    expect(decide({ before })).toMatchObject({
      managed: ['ConfigMap/foo'],
      lost: ['ConfigMap/foo'],
      ended: [],
    });
  });
});

describe('management ends', () => {
  test('when the workload says so', () => {
    expect(decide({ managements: [{ mode: 'none' }], before })).toMatchObject({
      managed: [],
      lost: [],
      ended: ['ConfigMap/foo'],
    });
  });

  test('also against an owner reference', () => {
    expect(decide({ managements: [{ mode: 'none' }], ownedBy: () => true }).managed).toEqual([]);
  });

  test('for a config that its list no longer names, and for no other', () => {
    const both = new Set<ConfigKey>(['ConfigMap/foo', 'Secret/db']);
    const onlyDb = [{ mode: 'some' as const, configs: [{ kind: 'Secret' as const, name: 'db' }] }];
    expect(decide({ managements: onlyDb, before: both, assigned: both })).toMatchObject({
      managed: ['Secret/db'],
      lost: [],
      ended: ['ConfigMap/foo'],
      toRevert: ['ConfigMap/foo'],
    });
    expect(decide({ managements: onlyDb, before: both, ownedBy: () => true }).ended).toEqual([]);
  });

  test("not because a list of Reloader's names it no more", () => {
    const reloader = { mode: 'some' as const, configs: [] };
    expect(decide({ managements: [{ mode: 'unsaid' }, reloader], before }).ended).toEqual([]);
  });

  test('when its template no longer references the config', () => {
    expect(decide({ references: [], before }).ended).toEqual(['ConfigMap/foo']);
  });
});

describe('versions that a workload names go back to their originals', () => {
  const assigned = new Set<ConfigKey>(['ConfigMap/foo', 'Secret/db']);

  test('when it opted out', () => {
    expect(decide({ managements: [{ mode: 'none' }], before, assigned }).toRevert).toEqual([...assigned]);
  });

  test('when the ConfigRollout was deleted and nothing opts in, so that nobody remembers it', () => {
    expect(decide({ assigned }).toRevert).toEqual(['ConfigMap/foo', 'Secret/db']);
    expect(decide({ before, assigned }).toRevert).toEqual(['Secret/db']);
  });

  test('never while it opts in, with a ConfigRollout or before there is one', () => {
    expect(decide({ managements: [{ mode: 'all' }], assigned }).toRevert).toEqual([]);
    expect(decide({ ownedBy: () => true, assigned }).toRevert).toEqual([]);
  });

  test('never because an opt-in vanished', () => {
    expect(decide({ before: assigned, assigned }).toRevert).toEqual([]);
  });
});

describe('opting out waits while a config holds content that must not be released', () => {
  const both = new Set<ConfigKey>(['ConfigMap/foo', 'Secret/db']);
  const obstacleTo = (config: ConfigKey) => (config === 'ConfigMap/foo' ? 'foo is not current' : undefined);

  test('and all its configs stay managed meanwhile, to go in one rolling update', () => {
    const optOut = { managements: [{ mode: 'none' }] as const, before: both, assigned: both };
    expect(decide({ ...optOut, obstacleTo })).toEqual({
      managed: ['ConfigMap/foo', 'Secret/db'],
      lost: [],
      ended: [],
      toRevert: [],
      obstacles: ['foo is not current'],
    });
    expect(decide(optOut)).toMatchObject({ managed: [], toRevert: [...both], obstacles: [] });
  });

  test('but no ConfigRollout is made anew for a config whose ConfigRollout was deleted', () => {
    expect(decide({ assigned: before, obstacleTo })).toMatchObject({ managed: [], toRevert: [] });
  });

  test('and what its template names itself has gone already', () => {
    expect(decide({ managements: [{ mode: 'none' }], before, obstacleTo })).toMatchObject({
      managed: [],
      ended: ['ConfigMap/foo'],
    });
  });
});
