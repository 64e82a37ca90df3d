import { describe, expect, test } from 'vitest';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { purgeRefusal } from './purge-refusal.ts';
import type { VersionMetadata } from './version-metadata.ts';
import type { VersionUsers } from './version-users.ts';

const address = { kind: 'Secret', namespace: 'shop', name: 'bar' } as const;
const nobody: VersionUsers = {
  ...{ pods: [], workloads: [], pinned: [], returning: [], creators: [], live: [], revisions: [] },
};
const version = {
  ...{ name: '1.0.0', object: 'bar-0', contentHash: 'h0', state: 'not-current', ownerReferences: [] },
} as unknown as VersionMetadata;
const other = { ...version, name: '1.0.1', object: 'bar-1', contentHash: 'h1', state: 'current' };

const rollout = (release: string) =>
  ({ metadata: {}, spec: { release }, status: { current: { object: 'bar-1' } } }) as unknown as ConfigRollout;

interface Given {
  users?: Partial<VersionUsers>;
  of?: ConfigRollout | undefined;
  liveHash?: string;
  its?: Partial<VersionMetadata>;
}

function refusal({ users = {}, liveHash = 'h1', its = {}, ...rest }: Given = {}) {
  const of = 'of' in rest ? rest.of : rollout('Auto');
  const versions = [version, other];
  const usersOf = () => ({ ...nobody, ...users });
  return purgeRefusal({ rollout: of, versions, liveHash, usersOf }, { ...version, ...its }, address);
}

const messageOf = (given: Given) => refusal(given)?.message;

test('a version that only old revisions name is purged', () => {
  expect(refusal({ users: { revisions: ['replicaset/web-1'] } })).toBeUndefined();
});

describe('what may run a version is told with what to do about it', () => {
  test.each<[string, Partial<VersionUsers>, string]>([
    [
      'a workload',
      { workloads: ['deployment/web'] },
      'deployment/web may start pods with the version: activate another version with `trimtab activate secret/bar VERSION -n shop`, or edit a template that Trimtab does not manage; then repeat the purge',
    ],
    [
      'a pinned one',
      { workloads: ['deployment/web', 'deployment/still'], pinned: ['deployment/still'] },
      '(a pinned workload needs `trimtab unpin deployment/still -n shop`, too)',
    ],
    [
      'a ReplicaSet that a Deployment scales down',
      { live: [{ revision: 'replicaset/web-1', owner: 'deployment/web' }] },
      'deployment/web, from replicaset/web-1, may start pods with the version: wait until the rolling update has ended, with `kubectl rollout status deployment/web -n shop`; then repeat the purge',
    ],
    [
      'a ReplicaSet of its own',
      { live: [{ revision: 'replicaset/lone', owner: undefined }] },
      'replicaset/lone may start pods with the version: delete replicaset/lone with `kubectl delete replicaset/lone -n shop`; then repeat the purge',
    ],
    [
      'a StatefulSet with a partition',
      { live: [{ revision: 'controllerrevision/db-1', owner: 'statefulset/db' }], pods: ['db-0'] },
      'statefulset/db, from controllerrevision/db-1, may start pods with the version, and pod db-0 runs the version: complete the rolling update of statefulset/db: set its partition, if any, to 0, and wait with `kubectl rollout status statefulset/db -n shop`; with the update strategy OnDelete, delete its old pods; wait until the pod is replaced, or delete it with `kubectl delete pod db-0 -n shop`; then repeat the purge',
    ],
    [
      'another controller',
      { live: [{ revision: 'controllerrevision/db-1', owner: 'cloneset/db' }] },
      'update or delete cloneset/db, whose controller Trimtab does not know; then repeat the purge',
    ],
    [
      'a rollback',
      { returning: ['deployment/web'] },
      'deployment/web returns to the version if the activation in progress fails: wait until the activation has ended; then repeat the purge',
    ],
  ])('%s', (_, users, text) => {
    expect(messageOf({ users })).toContain(text);
    expect(refusal({ users })?.reason).toBe('Running');
  });

  test('five objects of each kind are named', () => {
    const pods = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    expect(messageOf({ users: { pods } })).toContain('pods a, b, c, d, e, 2 more run the version');
    expect(messageOf({ users: { pods } })).toContain('kubectl delete pod a b c d e -n shop');
  });
});

test('a version with the content of the config says that the purge is repeated', () => {
  expect(refusal({ liveHash: 'h0' })).toEqual({
    reason: 'Live',
    message:
      'the version has the content of the config and would be created again under another name; edit the config first; then repeat the purge',
  });
});

test.each([
  ['Auto', 'edit secret/bar, and wait until the new version is current'],
  ['Manual', 'Activate another version with `trimtab activate secret/bar VERSION -n shop`'],
  ['Locked', 'Activate another version with `trimtab activate secret/bar VERSION -n shop`'],
])('the current version of a config with release mode %s', (release, text) => {
  const message = messageOf({ of: rollout(release), its: other, liveHash: 'h1' });
  expect(message).toContain(text);
  expect(message).toContain('; then repeat the purge');
});

describe('a version of a config that is no longer managed', () => {
  const owners = (kind: string) => [{ apiVersion: 'v1', kind, name: 'owner', uid: 'owner' }];

  test('is purged, also the one that was current', () => {
    expect(refusal({ of: undefined })).toBeUndefined();
    const its = { state: 'current', ownerReferences: owners('ReplicaSet') };
    expect(refusal({ of: undefined, its })).toBeUndefined();
  });

  test('is kept while a pod runs it', () => {
    expect(refusal({ of: undefined, users: { pods: ['web-1'] } })?.reason).toBe('Running');
  });

  test('that was current waits until the ConfigRollout does not own it', () => {
    const its = { state: 'current', ownerReferences: owners('ConfigRollout') };
    expect(refusal({ of: undefined, its })?.reason).toBe('Unmanaged');
    expect(refusal({ of: undefined, its: { ...its, state: 'not-current' } })).toBeUndefined();
  });
});
