import { configMaps, pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConfigRollout } from '../../src/api/config-rollout.ts';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { labels } from '../../src/api/names.ts';
import { controllerIdentity } from '../controller/installed-manifests.ts';
import { podToken } from './support/pod-token.ts';
import { VersionsScene } from './support/versions-scene.ts';

let scene: VersionsScene;
/** Object of the version that is current but not named in the status. */
let marked: string;

/** One version is labelled as current, and the status was edited to name another. No controller corrects it. */
beforeAll(async () => {
  scene = await VersionsScene.start();
  const { namespace, client } = scene;
  const body = { metadata: { name: 'foo' }, data: { color: 'blue' } };
  await scene.as('alice', 'POST', 'configmaps/1.0.0', body);
  await scene.as('alice', 'POST', 'configmaps/foo/1.0.1', { data: { color: 'red' } });
  const { json } = await scene.ours('alice', 'configmaps/foo/versions');
  const [first, second] = json.items.map(({ object }: { object: string }) => object);
  marked = first;
  const controller = await scene.engine.connect(controllerIdentity);
  const label = { metadata: { labels: { [labels.state]: 'current' } } };
  await controller.patch(configMaps, { namespace, name: marked }, { type: 'merge', body: label });
  const where = { namespace, name: 'configmap-foo' };
  const status = {
    phase: 'Current',
    current: { version: '1.0.1', object: second, since: new Date(0).toISOString() },
  };
  const patch = { type: 'merge' as const, body: { status } };
  const written = await client.patch<ConfigRollout>(configRollouts, where, patch, { subresource: 'status' });
  expect(written.status?.current?.version).toBe('1.0.1');
});

afterAll(() => scene?.close());

test('people read the version that is marked, and not the one that the status names', async () => {
  const { status, json } = await scene.as('alice', 'GET', 'configmaps/foo/current');
  expect([status, json.metadata.version, json.data.color]).toEqual([200, '1.0.0', 'blue']);
  expect(json.metadata.annotations[labels.state]).toBe('current');
});

test('the list and each version say the same', async () => {
  const { json } = await scene.ours('alice', 'configmaps/foo/versions');
  const states = json.items.map(({ state }: { state: string }) => state);
  expect(states).toEqual(['current', 'not-current']);
  const { status, json: refusal } = await scene.as('alice', 'DELETE', 'configmaps/foo/1.0.0');
  expect([status, refusal.message]).toEqual([409, expect.stringContaining('the version is current')]);
});

test('a plan compares with it', async () => {
  const { json } = await scene.as('alice', 'PUT', 'configmaps/foo/current?dryRun=All', { version: '1.0.1' });
  expect([json.from, json.version, json.changes.changed]).toEqual(['1.0.0', '1.0.1', ['color']]);
});

test('a pod that mounts the config runs it', async () => {
  const { namespace } = scene;
  const pod = await scene.client.create<KubeObject>(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'reader', namespace },
    spec: {
      containers: [{ name: 'app', image: 'busybox', volumeMounts: [{ name: 'foo', mountPath: '/etc/foo' }] }],
      volumes: [{ name: 'foo', configMap: { name: 'foo' } }],
      terminationGracePeriodSeconds: 0,
    },
  } as KubeObject);
  const path = `/api/v1/namespaces/${namespace}/configmaps/foo/current`;
  const { status, json } = await scene.gateway.callWith(await podToken(scene.client, pod), { path });
  expect([status, json.metadata.version]).toEqual([200, '1.0.0']);
});
