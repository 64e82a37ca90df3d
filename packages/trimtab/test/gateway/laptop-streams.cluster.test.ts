import { configMaps } from '@trimtab/kube/resource.ts';
import type { AuditLog } from '@trimtab/test-bed/engines/audit-log.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningController } from '../support/running-controller.ts';
import { controllerOf } from './support/controller-of.ts';
import { GatewayScene } from './support/gateway-scene.ts';
import { VersionsScene } from './support/versions-scene.ts';
import { WatchReader } from './support/watch-reader.ts';

let scene: VersionsScene;
let controller: RunningController;
/** `trimtab proxy` with Alice's credentials: she may edit in one namespace and has no rights elsewhere. */
let proxy: GatewayScene;
let log: AuditLog;
let mark: Awaited<ReturnType<AuditLog['mark']>>;

beforeAll(async () => {
  scene = await VersionsScene.start();
  controller = await controllerOf(scene);
  log = scene.engine.auditLog();
  mark = await log.mark();
  proxy = await GatewayScene.start(scene.engine, scene.identityOf('alice'), { mode: 'proxy' });
});

afterAll(async () => {
  await proxy?.close();
  await controller?.stop();
  await scene?.close();
});

const path = (config: string, namespace = scene.namespace) =>
  `/api/v1/namespaces/${namespace}/configmaps/${config}/current`;

const watch = (config: string) => WatchReader.open(`${proxy.url}${path(config)}?watch=true`, 'nobody');

test('a stream tells of activations, though rights end with the namespace', async () => {
  const body = { metadata: { name: 'foo' }, data: { color: 'blue' } };
  await scene.as('alice', 'POST', 'configmaps/1.0.0', body);
  await scene.as('alice', 'POST', 'configmaps/foo/1.0.1', { data: { color: 'red' } });
  const stream = await watch('foo');
  await stream.until('what there is', ({ object }) => object.metadata.version === '1.0.0');
  const request = { method: 'PUT', path: `${path('foo')}?wait=30s`, body: { version: '1.0.1' } };
  expect((await proxy.callWith('nobody', request)).status).toBe(200);
  await stream.until('1.0.1 is current', ({ object }) => object.metadata.version === '1.0.1');
  stream.close();
});

test('a stream of a config that nobody manages tells of its edits', async () => {
  const where = { namespace: scene.namespace, name: 'plain' };
  const config = configMap('plain', { color: 'grey' });
  await scene.client.create(configMaps, { ...config, metadata: where });
  const stream = await watch('plain');
  await stream.until('what there is', ({ object }) => object.data.color === 'grey');
  await scene.client.patch(configMaps, where, { type: 'merge', body: { data: { color: 'white' } } });
  await stream.until('the edit', ({ object }) => object.data.color === 'white');
  stream.close();
});

test('where she may nothing, a stream is refused by the cluster, and the others go on', async () => {
  const elsewhere = await scene.engine.namespace();
  const stream = await watch('foo');
  const { status, json } = await proxy.callWith('nobody', { path: `${path('foo', elsewhere)}?watch=true` });
  expect([status, json.reason]).toEqual([403, 'Forbidden']);
  expect(json.message).toContain(scene.usernameOf('alice'));
  const request = { method: 'PUT', path: `${path('foo')}?wait=30s`, body: { version: '1.0.0' } };
  expect((await proxy.callWith('nobody', request)).status).toBe(200);
  await stream.until('1.0.0 is current again', ({ object }) => object.metadata.version === '1.0.0');
  stream.close();
});

test('it has watched that namespace and nothing else, each kind once', async () => {
  // The audit log has a watch only after it ends.
  await proxy.close();
  const user = scene.usernameOf('alice');
  const watches = await waitFor('the watches are in the log', async () => {
    const entries = (await log.since(mark)).filter((each) => each.user === user && each.verb === 'watch');
    const places = entries.map(
      ({ resource, namespace }) => `${resource} in ${namespace ?? 'all namespaces'}`,
    );
    return places.length >= 2 ? { met: places.sort() } : { seen: places.join(', ') };
  });
  expect(watches).toEqual([`configmaps in ${scene.namespace}`, `configrollouts in ${scene.namespace}`]);
});
