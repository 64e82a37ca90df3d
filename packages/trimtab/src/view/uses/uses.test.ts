import type { KubeObject } from '@trimtab/kube/wire.ts';
import { expect, test } from 'vitest';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import { throughText } from './through.ts';
import { type KnownConfig, type Owned, type Use, useOf, usesOfConfig } from './uses.ts';

const live: KubeObject = { metadata: { name: 'foo', uid: 'foo' } };
const rollout = {
  metadata: { name: 'configmap-foo', annotations: { [annotations.workloads]: '["Deployment/web"]' } },
  spec: { config: { kind: 'ConfigMap', name: 'foo' } },
  status: { current: { version: '1.0.1', object: 'foo-aaaaaaaaab' } },
} as unknown as ConfigRollout;
const config: KnownConfig = {
  ...{ kind: 'ConfigMap', name: 'foo', rollout, live },
  versions: new Map([
    ['foo-aaaaaaaaaa', '1.0.0'],
    ['foo-aaaaaaaaab', '1.0.1'],
  ]),
};

const mounting = (name: string, more: object = {}): PodTemplate => ({
  spec: {
    volumes: [{ name: 'v', configMap: { name, ...more } }],
    containers: [{ name: 'app', volumeMounts: [{ name: 'v', mountPath: '/etc/foo' }] }],
  },
});

function object(kind: string, name: string, template: PodTemplate, metadata: object = {}): KubeObject {
  const own = { name, uid: `${kind}-${name}`, ...metadata };
  const spec =
    kind === 'Pod'
      ? template.spec
      : kind === 'CronJob'
        ? { jobTemplate: { spec: { template } } }
        : { template };
  return { kind, metadata: own, spec } as KubeObject;
}

const controlledBy = (kind: string, name: string) => ({
  ownerReferences: [{ apiVersion: 'v1', kind, name, uid: `${kind}-${name}`, controller: true }],
});
const manage = (value: string) => ({ annotations: { [annotations.manage]: value } });
const owned = (pods: KubeObject[], owners: KubeObject[] = []): Owned => ({
  pods,
  owners,
  reported: new Map(),
});
const uses = (objects: KubeObject[], more: Partial<KnownConfig> = {}, known: Owned | undefined = owned([])) =>
  usesOfConfig({ ...config, ...more }, objects, known);
const one = (user: KubeObject, more: Partial<KnownConfig> = {}) => uses([user], more)[0] as Use;

test('every kind of user is named, and only workloads are ever updated', () => {
  const template = mounting('foo');
  const kinds = [
    'Deployment',
    'StatefulSet',
    'DaemonSet',
    'ReplicationController',
    'ReplicaSet',
    'CronJob',
    'Job',
    'Pod',
  ];
  const found = uses(kinds.map((kind) => object(kind, 'a', template)));
  expect(found.map(({ user, mode }) => [user.kind, mode])).toEqual([
    ['Deployment', 'recycle'],
    ['StatefulSet', 'recycle'],
    ['DaemonSet', 'recycle'],
    ['ReplicationController', 'none'],
    ['ReplicaSet', 'none'],
    ['CronJob', 'none'],
    ['Job', 'none'],
    ['Pod', 'none'],
  ]);
  expect(found.at(-2)?.why).toBe('Trimtab never updates a Job; it reads the live config');
});

test('an object with a controller is represented by it, and its pods are counted there', () => {
  const template = mounting('foo-aaaaaaaaab');
  const set = object('ReplicaSet', 'web-1', template, controlledBy('Deployment', 'web'));
  const job = object('Job', 'nightly-1', template, controlledBy('CronJob', 'nightly'));
  const pods = [
    object('Pod', 'web-1-a', template, controlledBy('ReplicaSet', 'web-1')),
    object('Pod', 'web-1-b', template, { ...controlledBy('ReplicaSet', 'web-1'), deletionTimestamp: 'now' }),
    object('Pod', 'nightly-1-a', template, controlledBy('Job', 'nightly-1')),
  ];
  const objects = [
    object('Deployment', 'web', template),
    object('CronJob', 'nightly', template),
    set,
    job,
    ...pods,
  ];
  const found = uses(objects, {}, owned(pods, [set, job]));
  expect(found.map(({ user, pods: count }) => [user.name, count])).toEqual([
    ['web', 1],
    ['nightly', 1],
  ]);
});

test('an object whose controller may not be listed is not taken for a lone one', () => {
  const set = object('ReplicaSet', 'web-1', mounting('foo'), controlledBy('Deployment', 'web'));
  expect(usesOfConfig(config, [set], undefined, new Set(['Deployment']))).toEqual([]);
  const foreign = object('ReplicaSet', 'canary-1', mounting('foo'), controlledBy('Rollout', 'canary'));
  expect(uses([foreign])).toHaveLength(1);
});

test('what has ended uses nothing', () => {
  const job = {
    ...object('Job', 'a', mounting('foo')),
    status: { conditions: [{ type: 'Complete', status: 'True' }] },
  };
  const pod = { ...object('Pod', 'a', mounting('foo')), status: { phase: 'Succeeded' } };
  expect(uses([job, pod])).toEqual([]);
});

test.each<[string, PodTemplate, string]>([
  ['a volume', mounting('foo'), 'volume /etc/foo'],
  [
    'a volume by subPath',
    {
      spec: {
        volumes: [{ name: 'v', configMap: { name: 'foo' } }],
        containers: [
          { name: 'app', volumeMounts: [{ name: 'v', mountPath: '/app.conf', subPath: 'app.conf' }] },
          { name: 'proxy', volumeMounts: [{ name: 'v', mountPath: '/etc/foo' }] },
        ],
      },
    },
    'volume /app.conf by subPath, volume /etc/foo',
  ],
  [
    'a projected volume',
    {
      spec: {
        volumes: [
          { name: 'v', projected: { sources: [{ secret: { name: 'x' } }, { configMap: { name: 'foo' } }] } },
        ],
        initContainers: [{ name: 'init', volumeMounts: [{ name: 'v', mountPath: '/all' }] }],
      },
    },
    'projected /all',
  ],
  [
    'a volume that nobody mounts',
    { spec: { volumes: [{ name: 'v', configMap: { name: 'foo' } }] } },
    'volume, not mounted',
  ],
  [
    'environment variables',
    {
      spec: {
        containers: [
          {
            name: 'app',
            env: [
              { name: 'A', value: '1' },
              { name: 'COLOR', valueFrom: { configMapKeyRef: { name: 'foo', key: 'color' } } },
            ],
          },
          { name: 'proxy', envFrom: [{ configMapRef: { name: 'foo' } }] },
          { name: 'other', envFrom: [{ configMapRef: { name: 'foo' } }] },
        ],
      },
    },
    'env COLOR, envFrom',
  ],
])('%s is told', (_, template, text) => {
  expect(throughText(one(object('Deployment', 'web', template)).through)).toBe(text);
});

test('the version is that of the template, of the assignment, or the live config', () => {
  expect(one(object('Deployment', 'web', mounting('foo-aaaaaaaaaa'))).version).toBe('1.0.0');
  expect(one(object('Deployment', 'web', mounting('foo'))).version).toBeUndefined();
  const assigned = { annotations: { [annotations.versions]: 'configmap/foo=foo-aaaaaaaaab' } };
  expect(one(object('Deployment', 'web', mounting('foo'), assigned))).toMatchObject({
    mode: 'reload',
    version: '1.0.1',
  });
});

test.each<[string, KubeObject, Partial<KnownConfig>, boolean, string]>([
  [
    'opted in',
    object('Deployment', 'web', mounting('foo'), manage('true')),
    {},
    true,
    'annotation trimtab.dev/manage',
  ],
  [
    'owned',
    object('Deployment', 'web', mounting('foo')),
    {
      live: {
        metadata: {
          ownerReferences: [
            { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'Deployment-web' },
          ],
        },
      },
    },
    true,
    'ownerReference of the config',
  ],
  [
    'opt-in lost',
    object('Deployment', 'web', mounting('foo')),
    {},
    true,
    'the opt-in is gone; management continues',
  ],
  [
    'opted out',
    object('Deployment', 'web', mounting('foo'), manage('false')),
    {},
    false,
    'opted out by annotation trimtab.dev/manage: "false"',
  ],
  [
    'another list',
    object('Deployment', 'web', mounting('foo'), manage('bar')),
    {},
    false,
    'annotation trimtab.dev/manage lists other configs',
  ],
  [
    'no opt-in',
    object('Deployment', 'api', mounting('foo')),
    {},
    false,
    'no opt-in; set annotation trimtab.dev/manage: "true" on it',
  ],
  [
    'invalid annotation',
    object('Deployment', 'api', mounting('foo'), manage('a;b')),
    {},
    false,
    'Annotation trimtab.dev/manage has the value "a;b", which is not valid: must be "true", "false", or names such as "foo,secret/bar"',
  ],
  [
    'no config',
    object('Deployment', 'api', mounting('foo'), manage('true')),
    { live: undefined, rollout: undefined },
    false,
    'the config does not exist',
  ],
  [
    'no version yet',
    object('Deployment', 'api', mounting('foo'), manage('true')),
    { rollout: undefined },
    false,
    'annotation trimtab.dev/manage, but the config has no version yet; check that the controller runs',
  ],
])('%s: says whether it is managed, and why', (_, user, more, managed, why) => {
  expect(one(user, more)).toMatchObject({ managed, why });
});

test('a missing config is named, and whether pods start without it', () => {
  const missing = { live: undefined, rollout: undefined };
  expect(one(object('Deployment', 'web', mounting('foo')), missing)).toMatchObject({
    exists: false,
    optional: false,
    notes: ['the config does not exist; pods do not start without it'],
  });
  expect(one(object('Deployment', 'web', mounting('foo', { optional: true })), missing)).toMatchObject({
    optional: true,
    notes: ['the config does not exist; pods start without it, because the reference is optional'],
  });
});

test('a reload does not change environment variables, and needs an agent', () => {
  const template: PodTemplate = {
    spec: { containers: [{ name: 'app', envFrom: [{ configMapRef: { name: 'foo' } }] }] },
  };
  const restart = { [annotations.restart]: 'false' };
  const reloaded = { annotations: { ...restart, [annotations.versions]: '{}' } };
  expect(one(object('Deployment', 'web', template, reloaded)).notes).toEqual([
    'environment variables do not change by a reload',
  ]);
  expect(one(object('Deployment', 'web', mounting('foo'), { annotations: restart })).notes).toEqual([
    'a reload is requested, but the pods have no agent that reloads; they are replaced',
  ]);
});

test('a bare pod with an agent is reloaded, and one without is not', () => {
  const injected = { labels: { [labels.injected]: 'true' } };
  expect(one(object('Pod', 'a', mounting('foo'), injected)).mode).toBe('reload');
  expect(one(object('Pod', 'a', mounting('foo'))).mode).toBe('none');
});

test('without rights the rest is shown', () => {
  const use = useOf({ ...config, live: 'unknown' }, object('Deployment', 'web', mounting('foo')), undefined);
  expect(use).not.toHaveProperty('pods');
  expect(use).not.toHaveProperty('exists');
});
