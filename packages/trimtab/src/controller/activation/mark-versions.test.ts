import { expect, test } from 'vitest';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import { isHeld, type Marks, planMarks } from './mark-versions.ts';

const version = (object: string, state: string, facts: Partial<VersionMetadata> = {}): VersionMetadata => ({
  namespace: 'shop',
  kind: 'ConfigMap',
  config: 'foo',
  object,
  uid: `uid of ${object}`,
  rolloutUid: 'uid of configmap-foo',
  name: object,
  sequence: 1,
  contentHash: `hash of ${object}`,
  state,
  currentCount: state === 'current' ? 4 : 0,
  rejected: undefined,
  inUse: true,
  madeByHand: false,
  ownerReferences: [],
  ...facts,
});

const marks = (mods: Partial<Marks>): Marks => ({
  current: 'foo-1',
  target: undefined,
  rejection: undefined,
  ...mods,
});

const rejection = { set: new Map(), reason: 'web: it crashed' };

test.each<[string, states: [old: string, next: string], Partial<Marks>, string[]]>([
  [
    'an activation of a new version begins: it is in use already',
    ['current', 'not-current'],
    { target: 'foo-2' },
    [],
  ],
  [
    'a rejected version is tried again: it does not look rejected meanwhile',
    ['current', 'rejected'],
    { target: 'foo-2' },
    ['foo-2 not-current'],
  ],
  [
    'it is done: the new one gets the mark before the old one loses it',
    ['current', 'not-current'],
    { current: 'foo-2' },
    ['foo-2 current', 'foo-1 not-current'],
  ],
  [
    'it was done for another leader, whose status is still on its way: no mark is taken away',
    ['not-current', 'current'],
    { target: 'foo-2' },
    ['foo-1 current'],
  ],
  [
    'a crash left two marks, and the status is from before: both stay until it is done once more',
    ['current', 'current'],
    { target: 'foo-2' },
    [],
  ],
  [
    'it fails after a crash left two marks: it is made sure that the old one has its own',
    ['current', 'current'],
    { target: 'foo-2', rejection },
    ['foo-1 made sure of', 'foo-2 rejected'],
  ],
  ['all is as it should be', ['current', 'not-current'], {}, []],
])('%s', (_, [old, next], mods, wanted) => {
  const plan = planMarks([version('foo-1', old), version('foo-2', next)], marks(mods));
  const told = plan.map(({ version: { object }, operations }) => {
    const change = operations.find(({ op, path }) => op === 'add' && path.endsWith('state'));
    return `${object} ${change !== undefined && 'value' in change ? change.value : 'made sure of'}`;
  });
  expect(told).toEqual(wanted);
});

test('an old version is in use before a workload references it', () => {
  const versions = [version('foo-1', 'current'), version('foo-2', 'not-current', { inUse: false })];
  const [marking] = planMarks(versions, { current: 'foo-1', target: 'foo-2', rejection: undefined });
  expect(marking).toMatchObject({ version: { object: 'foo-2' } });
  expect(marking?.operations).toContainEqual({
    op: 'add',
    path: '/metadata/labels/trimtab.dev~1in-use',
    value: 'true',
  });
});

const purgeMark = '/metadata/annotations/trimtab.dev~1purge';
const revision = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'uid of web-1' };

test('the mark of a purge is removed before a workload references the version, so that the purge conflicts', () => {
  const versions = [version('foo-1', 'current'), version('foo-2', 'not-current', { purgedBy: 'alice' })];
  const plan = planMarks(versions, marks({ target: 'foo-2' }));
  expect(plan).toMatchObject([{ version: { object: 'foo-2' }, mustHold: true }]);
  expect(plan[0]?.operations).toContainEqual({ op: 'test', path: purgeMark, value: 'alice' });
  expect(plan[0]?.operations.at(-1)).toEqual({ op: 'remove', path: purgeMark });
  expect(planMarks(versions, marks({}))).toEqual([]);
});

test('an activation that begins verifies that a version of old revisions is not being purged', () => {
  const old = version('foo-2', 'not-current', { ownerReferences: [revision] });
  const plan = (begins: boolean) =>
    planMarks([version('foo-1', 'current'), old], marks({ target: 'foo-2', begins }));
  expect(plan(true)).toMatchObject([{ version: { object: 'foo-2' }, mustHold: true }]);
  expect(plan(true)[0]?.operations).toContainEqual({ op: 'test', path: purgeMark, value: null });
  expect(plan(false)).toEqual([]);
});

test.each<[string, boolean, Partial<VersionMetadata>]>([
  ['in use by its creation', true, {}],
  ['not in use', false, { inUse: false }],
  ['being purged', false, { purgedBy: 'alice' }],
  [
    'named by old revisions, which a purge that is not seen yet may delete',
    false,
    { ownerReferences: [revision] },
  ],
])('a version that is %s is assigned without another write: %s', (_, expected, facts) => {
  expect(isHeld(version('foo-2', 'not-current', facts), true)).toBe(expected);
});

test('the patch that makes a version current also hands it over to its owners', () => {
  const versions = [version('foo-1', 'current'), version('foo-2', 'not-current')];
  const owner = (kind: string) => ({ apiVersion: 'apps/v1', kind, name: 'web', uid: `uid of ${kind}` });
  const [before, after] = [[owner('Deployment')], [owner('ReplicaSet')]];
  const plan = planMarks(versions, { current: 'foo-2', target: undefined, rejection: undefined }, () => ({
    before: { ownerReferences: before, labels: { 'trimtab.dev/in-use': 'true' } },
    change: { ownerReferences: after, labels: { 'trimtab.dev/in-use': null } },
  }));
  const path = '/metadata/ownerReferences';
  expect(plan.map(({ version: { object } }) => object)).toEqual(['foo-2', 'foo-1']);
  expect(plan[0]?.operations.slice(-3)).toEqual([
    { op: 'test', path, value: before },
    { op: 'replace', path, value: after },
    { op: 'remove', path: '/metadata/labels/trimtab.dev~1in-use' },
  ]);
  expect(plan[1]?.operations.some((each) => each.path === path)).toBe(false);
});
