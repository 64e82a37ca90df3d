import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { clusterRoleFor, serviceAccount } from '@trimtab/test-bed/objects/rights.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installFor, uninstallFor } from '../controller/installed-manifests.ts';
import { GatewayScene } from './support/gateway-scene.ts';

let engine: Engine;
let gateway: GatewayScene;
let namespace: string;

beforeAll(async () => {
  engine = await currentEngine();
  gateway = await GatewayScene.start(engine);
  namespace = await engine.namespace();
  await installFor(engine, { namespace, webhook: false });
  await new Given(await engine.connect(), namespace).objects(
    configMap('foo', { color: 'blue' }),
    serviceAccount('alice'),
    serviceAccount('bob'),
    clusterRoleFor('edit', 'alice', { serviceAccount: 'alice' }),
  );
});

afterAll(async () => {
  await gateway?.close();
  if (namespace !== undefined) await uninstallFor(engine, { namespace, webhook: false });
  await engine?.close();
});

const alice = () => ({ serviceAccount: 'alice', namespace });
const bob = () => ({ serviceAccount: 'bob', namespace });

test('a config that nobody manages reads as version 1.0.0', async () => {
  const path = `/api/v1/namespaces/${namespace}/configmaps/foo/1.0.0`;
  const { status, json } = await gateway.call(alice(), { path });
  expect(status).toBe(200);
  expect(json.metadata).toMatchObject({ name: 'foo', version: '1.0.0' });
  expect(json.data).toEqual({ color: 'blue' });
});

test('who may not read it gets the cluster’s own answer', async () => {
  const path = `/api/v1/namespaces/${namespace}/configmaps/foo/1.0.0`;
  const { status, json } = await gateway.call(bob(), { path });
  expect(status).toBe(403);
  expect(json).toMatchObject({ kind: 'Status', reason: 'Forbidden' });
});
