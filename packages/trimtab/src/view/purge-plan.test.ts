import { expect, test } from 'vitest';
import type { ConfigBody } from '../api/config-body.ts';
import type { ConfigRollout } from '../api/config-rollout.ts';
import { contentHash } from '../core/version/content-hash.ts';
import type { VersionMetadata } from '../core/version/version-metadata.ts';
import type { VersionUsers } from '../core/version/version-users.ts';
import { type PurgeInput, planPurge } from './purge-plan.ts';

const secret = (values: Record<string, string>): ConfigBody => ({
  kind: 'Secret',
  metadata: {},
  data: Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  ),
});

function version(name: string, body: ConfigBody, more: Partial<VersionMetadata> = {}) {
  const plain: VersionMetadata = {
    ...{ kind: 'Secret', namespace: 'default', object: `bar-${name}`, uid: name, rolloutUid: 'r' },
    ...{ config: 'bar', name, sequence: Number(name.at(-1)), contentHash: contentHash(body) },
    ...{ state: 'not-current', currentCount: 0, inUse: false, rejected: undefined, madeByHand: false },
    ownerReferences: [],
  };
  return { version: { ...plain, ...more }, body };
}

const old = secret({ password: 'hunter2', user: 'alice' });
const fresh = secret({ password: 'trout', user: 'alice' });
const nobody: VersionUsers = {
  ...{ pods: [], workloads: [], pinned: [], returning: [], creators: [], live: [], revisions: [] },
};
const address = { kind: 'Secret', namespace: 'default', name: 'bar' } as const;

function input(more: Partial<PurgeInput> = {}): PurgeInput {
  const rollout = {
    metadata: { uid: 'r' },
    spec: { config: { kind: 'Secret', name: 'bar' }, release: 'Auto', strategy: {} },
    status: { current: { object: 'bar-1.0.2' } },
  } as unknown as ConfigRollout;
  return {
    ...{ key: 'password', version: undefined, address, rollout, strays: [] },
    ...{ live: fresh, usersOf: () => nobody },
    versions: [
      version('1.0.0', old),
      version('1.0.1', secret({ password: 'hunter2', user: 'bob' })),
      version('1.0.2', fresh, { state: 'current' }),
    ],
    ...more,
  };
}

test('all versions with an older value of the key go, and the current one stays', () => {
  expect(planPurge(input())).toEqual({
    holders: [
      { version: '1.0.0', object: 'bar-1.0.0', keys: ['password'] },
      { version: '1.0.1', object: 'bar-1.0.1', keys: ['password'] },
    ],
    strays: [],
    liveKeys: [],
    isInLastApplied: false,
  });
});

test('a version that holds the value under another key goes, too', () => {
  const renamed = version('1.0.1', secret({ token: 'hunter2' }));
  const plan = planPurge(input({ versions: [version('1.0.0', old), renamed, version('1.0.2', fresh)] }));
  expect(plan).toMatchObject({ holders: [{ version: '1.0.0' }, { version: '1.0.1', keys: ['token'] }] });
});

test('only the value of the version that was named is searched for', () => {
  const versions = [
    version('1.0.0', old),
    version('1.0.1', secret({ password: 'pike' })),
    version('1.0.2', fresh),
  ];
  expect(planPurge(input({ versions, version: '1.0.1' }))).toMatchObject({ holders: [{ version: '1.0.1' }] });
});

test('the value of the current version is found when it is asked for, and stays', () => {
  expect(planPurge(input({ version: 'current' }))).toMatchObject({
    holders: [{ version: '1.0.2', obstacle: { reason: 'Current' } }],
    liveKeys: ['password'],
  });
});

test.each([
  [{ version: '2.0.0' }, 'no such version'],
  [{ key: 'missing' }, 'no such key'],
  [{ key: 'missing', version: '1.0.0' }, 'no such key'],
  [{ versions: [version('1.0.2', fresh)] }, 'only the current value'],
] as const)('%j: %s', (more, problem) => {
  expect(planPurge(input(more))).toEqual({ problem });
});

test('an empty value is not searched for', () => {
  const versions = [version('1.0.0', secret({ password: '' })), version('1.0.2', fresh)];
  expect(planPurge(input({ versions }))).toEqual({ problem: 'only the current value' });
});

test.each([
  [
    'pods and a workload',
    { pods: ['web-1'], workloads: ['deployment/web'], revisions: ['replicaset/web-1'] },
    {
      reason: 'Running',
      message: expect.stringMatching(
        /^deployment\/web may start .*, and pod web-1 runs .*; then run this command again$/,
      ),
    },
  ],
  [
    'old revisions',
    { revisions: ['replicaset/web-1'] },
    { reason: 'Revisions', users: ['replicaset/web-1'] },
  ],
])('%s keep a version', (_, users, obstacle) => {
  const plan = planPurge(input({ version: '1.0.0', usersOf: () => ({ ...nobody, ...users }) }));
  expect(plan).toMatchObject({ holders: [{ obstacle }, { obstacle }] });
});

test.each([
  ['its label', () => nobody, 'MarkedInUse'],
  ['users that the caller may not list', undefined, 'UnknownUsers'],
])('%s keeps a version', (_, usersOf, reason) => {
  const versions = [version('1.0.0', old, { inUse: true }), version('1.0.2', fresh)];
  expect(planPurge(input({ versions, usersOf }))).toMatchObject({ holders: [{ obstacle: { reason } }] });
});

test('a version with the content of the config would be created again', () => {
  const plan = planPurge(input({ live: old, version: '1.0.0' }));
  expect(plan).toMatchObject({
    holders: [{ version: '1.0.0', obstacle: { reason: 'Live' } }, { version: '1.0.1' }],
    liveKeys: ['password'],
  });
});

test.each([
  ['data', { data: old.data }],
  ['stringData', { stringData: { password: 'hunter2' } }],
])('the value is found in what kubectl apply has sent as %s', (_, applied) => {
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(applied) };
  expect(planPurge(input({ live: { ...fresh, metadata: { annotations } } }))).toMatchObject({
    liveKeys: [],
    isInLastApplied: true,
  });
});

test('a version of a deleted ConfigRollout is named', () => {
  const plan = planPurge(input({ strays: [version('0.9.0', old, { rolloutUid: 'gone' })] }));
  expect(plan).toMatchObject({ strays: ['bar-0.9.0'] });
});

test('versions that a deleted ConfigRollout left behind are searched for all values but that of the config', () => {
  const left = version('1.0.2', fresh, { state: 'current' });
  const usersOf = () => ({ ...nobody, revisions: ['replicaset/web-1'] });
  const versions = [version('1.0.0', old, { inUse: true }), left];
  expect(planPurge(input({ rollout: undefined, versions, usersOf }))).toMatchObject({
    holders: [{ version: '1.0.0', obstacle: { reason: 'Revisions' } }],
  });
  expect(planPurge(input({ rollout: undefined, versions, live: undefined, usersOf }))).toMatchObject({
    holders: [{ version: '1.0.0' }, { version: '1.0.2', obstacle: { reason: 'Revisions' } }],
  });
});

test('an annotation of kubectl apply with nulls holds no value', () => {
  const annotations = {
    'kubectl.kubernetes.io/last-applied-configuration': '{"data":null,"stringData":{"a":null}}',
  };
  expect(planPurge(input({ live: { ...fresh, metadata: { annotations } } }))).toMatchObject({
    isInLastApplied: false,
  });
});

test('texts and binary data of a ConfigMap are compared by their bytes', () => {
  const map = (more: Partial<ConfigBody>): ConfigBody => ({ kind: 'ConfigMap', metadata: {}, ...more });
  const versions = [
    version('1.0.0', map({ data: { password: 'hunter2' } })),
    version('1.0.1', map({ binaryData: { password: 'aHVudGVyMg==' } })),
    version('1.0.2', map({ data: { password: 'trout' } })),
  ];
  const plan = planPurge(input({ versions, live: undefined }));
  expect(plan).toMatchObject({ holders: [{ version: '1.0.0' }, { version: '1.0.1' }] });
});

test('a plan never has the value', () => {
  expect(JSON.stringify(planPurge(input({ live: old })))).not.toMatch(/hunter2|aHVudGVy/);
});
