import type { DeleteOptions, KubeClient } from '@trimtab/kube/client.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { configMaps, pods, type Resource } from '@trimtab/kube/resource.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import type { IndexFunctions } from '@trimtab/kube/watch/indexes.ts';
import { type Change, Store } from '@trimtab/kube/watch/store.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { beforeEach, expect, test } from 'vitest';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import type { ControllerContext } from '../context.ts';
import { Removal } from './removal.ts';

const afterMs = 300_000;
const key = 'ns/configmap-foo';
const { signal } = new AbortController();

/** A cache that the test fills, with the handlers that follow it. */
function watched<T extends object, Index extends string>(indexes: IndexFunctions<T, Index>) {
  const handlers: ((change: Change<T>) => void)[] = [];
  const cache = new Store<T, Index>(indexes, (change) => {
    for (const handler of handlers) handler(change);
  });
  return { cache, subscribe: (handler: (change: Change<T>) => void) => handlers.push(handler) };
}

interface Cached {
  namespace: string;
  kind: string;
  name: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  references: { kind: string; name: string }[];
}

const cached = (name: string, parts: Partial<Cached> = {}): Cached => ({
  namespace: 'ns',
  kind: 'ConfigMap',
  name,
  labels: {},
  annotations: {},
  references: [],
  ...parts,
});
const copy = cached('foo-1', {
  labels: { [labels.config]: 'foo', [labels.versionOf]: 'u1' },
  annotations: {
    [annotations.config]: 'foo',
    [annotations.version]: '1.0.0',
    [annotations.contentHash]: 'h',
    [annotations.sequence]: '1',
  },
});
const guest = cached('guest', { references: [{ kind: 'ConfigMap', name: 'foo-1' }] });

const rollout = {
  metadata: {
    namespace: 'ns',
    name: 'configmap-foo',
    uid: 'u1',
    resourceVersion: '7',
    annotations: { [annotations.ledger]: '{}' },
  },
  spec: { config: { kind: 'ConfigMap', name: 'foo' } },
} as unknown as ConfigRollout;

function newScene() {
  const reference = ({ namespace, references }: Cached) =>
    references.map(({ kind, name }) => `${namespace}/${kind}/${name}`);
  const referring = () => watched<Cached, 'reference'>({ reference });
  const cluster = {
    rollouts: watched<ConfigRollout, 'uid'>({ uid: ({ metadata }) => [metadata.uid ?? ''] }),
    configs: {
      ConfigMap: watched<Cached, 'versionOf' | 'group'>({
        versionOf: (each) => [each.labels[labels.versionOf] ?? ''],
        group: (each) => [`${each.namespace}/${each.labels[labels.config]}`],
      }),
    },
    pods: referring(),
    revisions: { ReplicaSet: referring(), ControllerRevision: referring() },
    workloads: { Deployment: referring(), StatefulSet: referring(), DaemonSet: referring() },
  };
  cluster.configs.ConfigMap.cache.put('ns/foo-1', '1', copy);
  cluster.rollouts.cache.put(key, '7', rollout);
  /** What the API server has besides the rollout, by resource. */
  const server = new Map<Resource, KubeObject[]>();
  const deleted: (DeleteOptions['preconditions'] | undefined)[] = [];
  const client: Pick<KubeClient, 'get' | 'list' | 'delete'> = {
    async get<T extends KubeObject>(resource: Resource, { name }: { name: string }): Promise<T> {
      const found = [...(server.get(resource) ?? []), ...(resource === configRollouts ? [rollout] : [])];
      const object = found.find(({ metadata }) => metadata.name === name);
      if (object === undefined)
        throw new ApiError(404, { apiVersion: 'v1', kind: 'Status', reason: 'NotFound' });
      return object as T;
    },
    async list<T extends KubeObject>(resource: Resource) {
      return { metadata: {}, items: (server.get(resource) ?? []) as T[] } as never;
    },
    async delete(_, __, options) {
      deleted.push(options?.preconditions);
    },
  };
  const clock = new ManualClock();
  const context = { client, clock, cluster, log: silentLogger } as unknown as ControllerContext;
  const begin = () => {
    const removal = new Removal(context, afterMs);
    removal.listen(() => {});
    return removal;
  };
  return { cluster, server, deleted, clock, begin };
}

let scene: ReturnType<typeof newScene>;
let removal: Removal;
beforeEach(() => {
  scene = newScene();
  removal = scene.begin();
});

const look = (by = removal) => by.reconcile(key, signal);

test('what is unused all the time is deleted once, as it was read', async () => {
  expect(await look()).toEqual({ requeueAfterMs: afterMs });
  await scene.clock.advance(afterMs - 1);
  expect(await look()).toEqual({ requeueAfterMs: 1 });
  expect(scene.deleted).toEqual([]);
  await scene.clock.advance(1);
  expect(await look()).toBeUndefined();
  expect(scene.deleted).toEqual([{ uid: 'u1', resourceVersion: '7' }]);
});

test('a use that came and went between two looks begins the wait anew', async () => {
  await look();
  await scene.clock.advance(afterMs - 1);
  scene.cluster.pods.cache.put('ns/guest', '8', guest);
  scene.cluster.pods.cache.remove('ns/guest');
  await scene.clock.advance(1);
  expect(await look()).toEqual({ requeueAfterMs: afterMs });
});

test('so does a config that came and went', async () => {
  await look();
  await scene.clock.advance(afterMs);
  scene.cluster.configs.ConfigMap.cache.put('ns/foo', '8', cached('foo'));
  scene.cluster.configs.ConfigMap.cache.remove('ns/foo');
  expect(await look()).toEqual({ requeueAfterMs: afterMs });
});

test('a new leader waits anew', async () => {
  await look();
  await scene.clock.advance(afterMs);
  expect(await look(scene.begin())).toEqual({ requeueAfterMs: afterMs });
});

test.each([
  [
    'a pod',
    pods,
    { metadata: { name: 'p' }, spec: { volumes: [{ name: 'v', configMap: { name: 'foo-1' } }] } },
  ],
  ['the config', configMaps, { metadata: { name: 'foo', namespace: 'ns' } }],
])('%s that no watch has delivered keeps it, and the wait begins anew', async (_, resource, object) => {
  scene.server.set(configMaps, [{ metadata: { name: 'foo-1', namespace: 'ns' } }]);
  scene.server.set(resource, [...(scene.server.get(resource) ?? []), object as KubeObject]);
  await look();
  await scene.clock.advance(afterMs);
  expect(await look()).toEqual({ staleCache: true });
  expect(await look()).toEqual({ requeueAfterMs: afterMs });
  expect(scene.deleted).toEqual([]);
});

test('a rollout for a config that is still to come stays', async () => {
  scene.cluster.configs.ConfigMap.cache.remove('ns/foo-1');
  const early = { ...rollout, metadata: { ...rollout.metadata, annotations: {} } };
  scene.cluster.rollouts.cache.put(key, '8', early);
  expect(await look()).toBeUndefined();
});

test('of a kind that the controller may not read, nothing is known and nothing goes', async () => {
  const ofSecret = { ...rollout, spec: { config: { kind: 'Secret', name: 'foo' } } };
  scene.cluster.rollouts.cache.put(key, '8', ofSecret as ConfigRollout);
  expect(await look()).toBeUndefined();
});
