import { once } from 'node:events';
import { connect } from 'node:net';
import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { type ConfigMap, configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { CurrentScene } from './support/current-scene.ts';
import { GatewayScene } from './support/gateway-scene.ts';
import { WatchReader } from './support/watch-reader.ts';

const load = {
  ...{ maxConnections: 100, maxConnectionsPerAddress: 100, maxUnusedConnections: 100 },
  ...{ maxRequestsInFlight: 100, maxStreams: 100 },
};

let engine: Engine;
let scene: CurrentScene;

beforeAll(async () => {
  engine = await currentEngine();
  scene = await CurrentScene.start(engine);
  await scene.versions('foo', { color: 'blue' });
});

afterAll(async () => {
  await scene?.[Symbol.asyncDispose]();
  await engine?.close();
});

test('an answer that its client does not read is broken off, and its caller is served again', async () => {
  const clock = new ManualClock();
  const gateway = await GatewayScene.start(engine, undefined, {
    clock,
    load: { ...load, maxRequestsInFlight: 4 },
  });
  onTestFinished(async () => {
    const closed = gateway.close(0);
    await clock.advance(1);
    await closed;
  });
  const value = 'x'.repeat(900_000);
  const names = Array.from({ length: 16 }, (_, n) => `large-${n}`);
  await scene.story.given.objects(...names.map((name) => configMap(name, { value })));
  const path = `/api/v1/namespaces/${scene.namespace}/configmaps`;
  const call = () => gateway.callWith(scene.token('alice'), { path: `${path}/foo` });
  const { hostname: host, port } = new URL(gateway.url);
  const socket = connect({ host, port: Number(port) });
  const head = [`GET ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${scene.token('alice')}`];
  socket.on('error', () => {}).write(`${head.join('\r\n')}\r\n\r\n`);
  // The client reads the beginning of the response, and no more.
  await once(socket, 'data');
  socket.pause();
  expect((await call()).status).toBe(429);
  await vi.waitFor(async () => {
    await clock.advance(10_000);
    expect((await call()).status).toBe(200);
  });
  expect(await gateway.metrics()).toContain('trimtab_gateway_answers_cut_off_total 1');
  socket.destroy();
});

test('more watches of a large config than the memory for unread responses holds get every change, and hold nothing', async () => {
  const gateway = await GatewayScene.start(engine, undefined, { load: { ...load, maxStreams: 400 } });
  onTestFinished(() => gateway.close(0));
  const { story } = scene;
  await story.given.object(configMap('watched', { value: 'x'.repeat(900_000) }));
  const path = `/api/v1/namespaces/${scene.namespace}/configmaps/watched/current?watch=true`;
  const watches: WatchReader[] = [];
  while (watches.length < 45)
    watches.push(await WatchReader.open(`${gateway.url}${path}`, scene.token('alice')));
  onTestFinished(() => watches.forEach((watch) => void watch.close()));
  const all = (type: string) =>
    Promise.all(watches.map((watch) => watch.until(type, (event) => event.type === type)));
  await all('ADDED');
  await story.when.edited<ConfigMap>(configMaps, 'watched', withData({ value: 'y'.repeat(900_000) }));
  await all('MODIFIED');
  await story.when.deleted(configMaps, 'watched');
  for (const { object } of await all('DELETED')) {
    expect(object.metadata).toMatchObject({ name: 'watched', version: '1.0.0' });
    expect(object.data).toBeUndefined();
  }
  await vi.waitFor(async () =>
    expect(await gateway.metrics()).toContain('trimtab_gateway_unsent_response_bytes 0'),
  );
});

describe('streams', () => {
  let gateway: GatewayScene;
  beforeAll(async () => {
    // Of four streams, one credential may have one.
    gateway = await GatewayScene.start(engine, undefined, { load: { ...load, maxStreams: 4 } });
  });
  afterAll(() => gateway?.close(0));

  const list = () => `/api/v1/namespaces/${scene.namespace}/configmaps`;
  const current = () => `${list()}/foo/current`;

  test.each([
    ['of the current version', () => `${current()}?watch=true`],
    ['of the API server', () => `${list()}?watch=true`],
    ['of the API server, as old clients ask for it', () => list().replace('/v1/', '/v1/watch/')],
  ])('a caller has a part of the streams: a watch %s', async (_, path) => {
    const left = new AbortController();
    const watch = (who: 'alice') =>
      fetch(`${gateway.url}${path()}`, {
        headers: { authorization: `Bearer ${scene.token(who)}` },
        signal: left.signal,
      });
    expect((await watch('alice')).status).toBe(200);
    const refused = await watch('alice');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await refused.json()).toMatchObject({ kind: 'Status', reason: 'TooManyRequests' });
    // What is no watch is answered, whatever its query says.
    for (const single of [`${list()}/foo?watch=true`, `${current()}?watch=0`])
      expect((await gateway.callWith(scene.token('alice'), { path: single })).status).toBe(200);
    left.abort();
    await vi.waitFor(async () =>
      expect(await gateway.metrics()).toContain('trimtab_gateway_streams_in_progress 0'),
    );
  });
});
