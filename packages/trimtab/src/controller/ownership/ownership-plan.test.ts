import type { OwnerReference } from '@trimtab/kube/wire.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { labels } from '../../api/names.ts';
import type { Revision } from '../cache/revisions.ts';
import { AddedOwners, retryOwnerMs } from './added-owners.ts';
import { planOwnership as planned, type VersionUse } from './ownership-plan.ts';

const revision = (name: string, facts: Partial<Revision> = {}): Revision => ({
  kind: 'ReplicaSet',
  namespace: 'ns',
  name,
  uid: `uid of ${name}`,
  ownerUid: 'uid of web',
  ownerName: 'web',
  deleting: false,
  references: [],
  number: undefined,
  ...facts,
});
const owner = (kind: string, name: string, apiVersion = 'apps/v1'): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid: `uid of ${name}`,
});
const rollout = owner('ConfigRollout', 'configmap-foo', 'trimtab.dev/v1alpha1');
/** Plans for a version that is at rest, unless `use` says otherwise. */
const planOwnership = (
  version: Parameters<typeof planned>[0],
  use: Partial<VersionUse>,
  wasAdded?: (uid: string) => boolean,
) =>
  planned(
    version,
    { pods: 0, revisions: [], workloads: [], isWanted: false, isMoving: false, ...use },
    wasAdded,
  );
const web = { kind: 'Deployment', name: 'web', uid: 'uid of web', deleting: false } as const;
const byWeb = owner('Deployment', 'web');
const used = { [labels.inUse]: 'true' };

test('each revision of a workload becomes an owner, and neither controls nor blocks', () => {
  const users = { pods: 0, revisions: [revision('a'), revision('b', { kind: 'ControllerRevision' })] };
  expect(planOwnership({ ownerReferences: [rollout], labels: used }, users)).toEqual({
    ownerReferences: [rollout, owner('ReplicaSet', 'a'), owner('ControllerRevision', 'b')],
  });
});

test.each<[string, Revision]>([
  ['a lone ReplicaSet', revision('a', { ownerUid: '' })],
  ['a revision that is being deleted', revision('a', { deleting: true })],
])('%s is no owner, and still uses the version', (_, each) => {
  const users = { pods: 0, revisions: [each] };
  expect(planOwnership({ ownerReferences: [rollout], labels: used }, users)).toBeUndefined();
});

test('an owner that was added and is missing again is not added a second time', () => {
  const users = { pods: 0, revisions: [revision('a'), revision('b')] };
  const version = { ownerReferences: [rollout], labels: used };
  const added = new AddedOwners();
  added.note('foo-1', ['uid of a'], 1_000);
  const plan = (key: string, now: number) =>
    planOwnership(version, users, (uid) => added.wasAdded(key, uid, now))?.ownerReferences;
  expect(plan('foo-1', 2_000)).toEqual([rollout, owner('ReplicaSet', 'b')]);
  expect(plan('foo-2', 2_000)).toHaveLength(3);
  expect(plan('foo-1', 1_000 + retryOwnerMs)).toHaveLength(3);
  added.note('foo-2', ['uid of b'], 1_000 + retryOwnerMs);
  expect(plan('foo-2', 1_000 + retryOwnerMs)).toEqual([rollout, owner('ReplicaSet', 'a')]);
});

describe('a version that is rolled out to a workload', () => {
  const born = { ownerReferences: [rollout, byWeb], labels: used };

  test('stays as it was created until its activation ends', () => {
    const moving = { isWanted: true, isMoving: true };
    expect(planOwnership(born, moving)).toBeUndefined();
    expect(planOwnership(born, { ...moving, workloads: [web], revisions: [revision('a')] })).toBeUndefined();
  });

  test('is then owned by its revision in place of the workload', () => {
    expect(planOwnership(born, { workloads: [web], revisions: [revision('a')] })).toEqual({
      ownerReferences: [rollout, owner('ReplicaSet', 'a')],
    });
  });

  test('is owned by the workload while that has no revision of it', () => {
    expect(planOwnership(born, { workloads: [web] })).toBeUndefined();
    expect(planOwnership({ ...born, ownerReferences: [rollout] }, { workloads: [web] })).toEqual({
      ownerReferences: [rollout, byWeb],
    });
  });

  test('is covered at once when it was not created for this workload', () => {
    const moving = { isWanted: true, isMoving: true, workloads: [web] };
    expect(planOwnership({ ownerReferences: [rollout], labels: used }, moving)).toEqual({
      ownerReferences: [rollout, byWeb],
    });
  });

  test('keeps its label, and gets it from its activation alone', () => {
    const moving = { isWanted: true, isMoving: true };
    expect(planOwnership({ ownerReferences: [rollout], labels: used }, moving)).toBeUndefined();
    expect(planOwnership({ ownerReferences: [rollout], labels: {} }, moving)).toBeUndefined();
  });

  test('is released when it is superseded before a workload references it', () => {
    expect(planOwnership(born, {})).toEqual({
      ownerReferences: [rollout],
      labels: { [labels.inUse]: null },
    });
  });

  test('keeps its last owner', () => {
    expect(planOwnership({ ...born, ownerReferences: [byWeb] }, { pods: 1 })).toBeUndefined();
  });
});

test('a version that nobody owns gets no owner: it would go with the revision', () => {
  const users = { pods: 0, revisions: [revision('a')] };
  expect(planOwnership({ ownerReferences: [], labels: used }, users)).toBeUndefined();
});

test('the label comes with the first user, goes with the last, and is written on change only', () => {
  const version = { ownerReferences: [rollout], labels: {} };
  const on = { labels: { [labels.inUse]: 'true' } };
  const off = { labels: { [labels.inUse]: null } };
  const [none, pod] = [
    { pods: 0, revisions: [] },
    { pods: 1, revisions: [] },
  ];
  expect(planOwnership(version, pod)).toEqual(on);
  expect(planOwnership({ ...version, labels: used }, pod)).toBeUndefined();
  expect(planOwnership({ ...version, labels: used }, none)).toEqual(off);
  expect(planOwnership(version, none)).toBeUndefined();
  expect(planOwnership({ ...version, labels: { [labels.inUse]: 'maybe' } }, pod)).toEqual(on);
  expect(planOwnership({ ...version, labels: { [labels.inUse]: 'false' } }, none)).toEqual(off);
});

test('an object is not filled up with owners', () => {
  const revisions = Array.from({ length: 2000 }, (_, index) => revision(`r${index}`));
  const change = planOwnership({ ownerReferences: [rollout], labels: used }, { pods: 0, revisions });
  expect(change?.ownerReferences).toHaveLength(500);
});

test('a plan applied twice is a no-op, and never takes an owner away', () => {
  const revisions = fc.uniqueArray(
    fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      ownerUid: fc.constantFrom('', 'web'),
      deleting: fc.boolean(),
    }),
    { selector: ({ name }) => name },
  );
  const owners = fc.subarray([
    rollout,
    owner('ReplicaSet', 'a'),
    owner('ReplicaSet', 'b'),
    owner('ReplicaSet', 'gone'),
  ]);
  const marks = fc.constantFrom({}, used, { [labels.inUse]: 'x' });
  fc.assert(
    fc.property(revisions, owners, marks, fc.nat(2), (facts, ownerReferences, marked, podCount) => {
      const users = {
        pods: podCount,
        revisions: facts.map(({ name, ...rest }) => revision(name, rest)),
      };
      const change = planOwnership({ ownerReferences, labels: marked }, users);
      const after = {
        ownerReferences: change?.ownerReferences ?? ownerReferences,
        labels: withChange(marked, change?.labels),
      };
      expect(planOwnership(after, users)).toBeUndefined();
      expect(after.ownerReferences.slice(0, ownerReferences.length)).toEqual(ownerReferences);
      expect(new Set(after.ownerReferences.map(({ uid }) => uid)).size).toBe(after.ownerReferences.length);
      expect(after.labels[labels.inUse]).toBe(podCount + facts.length > 0 ? 'true' : undefined);
    }),
  );
});

function withChange(
  marks: Record<string, string>,
  change: Record<string, string | null> = {},
): Record<string, string> {
  const all = Object.entries({ ...marks, ...change });
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== null));
}
