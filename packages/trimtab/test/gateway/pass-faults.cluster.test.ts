import type { KubeClient } from '@trimtab/kube/client.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { Reflector } from '@trimtab/kube/watch/reflector.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { FaultProxy } from '@trimtab/test-bed/fault-proxy/server.ts';
import { type ConfigMap, configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { clusterRoleFor, serviceAccount } from '@trimtab/test-bed/objects/rights.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Answered, GatewayScene } from './support/gateway-scene.ts';

let engine: Engine;
let admin: KubeClient;
let namespace: string;
let upstream: FaultProxy;
let gateway: GatewayScene;

beforeAll(async () => {
  engine = await currentEngine();
  admin = await engine.connect();
  namespace = await engine.namespace();
  const mayEdit = clusterRoleFor('edit', 'alice', { serviceAccount: 'alice' });
  await new Given(admin, namespace).objects(serviceAccount('alice'), mayEdit);
});

beforeEach(async () => {
  upstream = await FaultProxy.start({ access: await engine.access() });
  const options = { access: upstream.access(), answerTimeoutMs: 2_000 };
  gateway = await GatewayScene.start(engine, undefined, options);
  await waitFor('alice may read', async () => {
    const { status } = await read();
    return status === 200 ? { met: true } : { seen: String(status) };
  });
});

afterEach(async () => {
  await gateway?.close();
  await upstream?.close();
});

afterAll(() => engine?.close());

const alice = () => ({ serviceAccount: 'alice', namespace });
const path = () => `/api/v1/namespaces/${namespace}/configmaps`;
const read = (): Promise<Answered> => gateway.call(alice(), { path: path() });
const create = (name: string): Promise<Answered> =>
  gateway.call(alice(), { method: 'POST', path: path(), body: configMap(name, { color: 'blue' }) });

/** The number of creations that reached the API server. */
async function attempts(name: string, act: () => Promise<unknown>): Promise<number> {
  const log = engine.auditLog();
  const mark = await log.mark();
  await act();
  const entries = await log.since(mark);
  return entries.filter((entry) => entry.verb === 'create' && entry.name === name).length;
}

test('a write whose answer is lost is made once, and its author is told to look', async () => {
  upstream.inject({ when: { verb: 'create', resource: 'configmaps' }, fault: { kind: 'fail-after' } });
  let answer: Answered | undefined;
  const made = await attempts('lost', async () => {
    answer = await create('lost');
  });
  expect([answer?.status, answer?.json]).toEqual([
    503,
    expect.objectContaining({ kind: 'Status', code: 503 }),
  ]);
  expect(answer?.json.message).toContain('may have taken effect');
  expect(made).toBe(1);
  expect((await admin.get<ConfigMap>(configMaps, { namespace, name: 'lost' })).data).toEqual({
    color: 'blue',
  });
});

test('a write that did not get through is not made later', async () => {
  upstream.inject({ when: { verb: 'create', resource: 'configmaps' }, fault: { kind: 'fail-before' } });
  let answer: Answered | undefined;
  const made = await attempts('never', async () => {
    answer = await create('never');
  });
  expect([answer?.status, made]).toEqual([503, 0]);
});

test('a server that is slow is a 504 after a while, and answers again when it is not', async () => {
  upstream.inject({ when: { verb: 'list', resource: 'configmaps' }, fault: { kind: 'stall' } });
  const { status, json } = await read();
  expect([status, json.reason]).toEqual([504, 'Timeout']);
  upstream.release();
  expect((await read()).status).toBe(200);
  expect(await gateway.metrics()).toMatch(
    /trimtab_gateway_upstream_errors_total\{code="ETIMEDOUT",route="pass-through"\} 1/,
  );
});

test('what the server itself refuses for now passes as it is, with when to come again', async () => {
  const fault = { kind: 'status', code: 429, retryAfterSeconds: 7 } as const;
  upstream.inject({ when: { verb: 'list', resource: 'configmaps' }, fault });
  const { status, headers } = await read();
  expect([status, headers.get('retry-after')]).toEqual([429, '7']);
});

test('a server that is gone is a 503 that says nothing was changed', async () => {
  await upstream.close();
  const { status, json, headers } = await read();
  expect([status, json.reason, headers.get('retry-after')]).toEqual([503, 'ServiceUnavailable', '1']);
  expect(json.message).toContain('Nothing was changed');
});

test('a watch that breaks off is resumed by its client, and nothing is missed', async () => {
  const { authorization = '' } = await (await engine.access(alice())).headers();
  const access = {
    server: gateway.url,
    namespace,
    tls: async () => ({}),
    headers: async () => ({ authorization }),
  };
  const client = httpClient({ access, log: silentLogger });
  const stop = new AbortController();
  const options = {
    name: 'test',
    client,
    resource: configMaps,
    namespace,
    projection: 'full',
    log: silentLogger,
  } as const;
  const reflector = new Reflector<ConfigMap>({ ...options, transform: (object) => object, indexes: {} });
  const running = reflector.run(stop.signal);
  try {
    await reflector.waitForSync(stop.signal);
    for (const how of ['cut', 'end', 'expire', 'cut'] as const) {
      await admin.create(configMaps, {
        ...configMap(`by-${how}-before`),
        metadata: { generateName: `${how}-`, namespace },
      });
      await upstream.breakWatches(how, { resource: 'configmaps' });
      const { metadata } = await admin.create<KubeObject>(configMaps, {
        ...configMap('x'),
        metadata: { generateName: `${how}-`, namespace },
      });
      await waitFor(`what was made after '${how}' is seen`, async () =>
        reflector.cache.get(`${namespace}/${metadata.name}`) === undefined
          ? { seen: 'not yet' }
          : { met: true },
      );
    }
    const { items } = await admin.list(configMaps, { namespace });
    for (const { metadata } of items)
      expect(reflector.cache.get(`${namespace}/${metadata.name}`), metadata.name).toBeDefined();
  } finally {
    stop.abort();
    await running.catch(() => {});
    client.close();
  }
});
