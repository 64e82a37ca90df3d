import { HistoryServer, type RequestFault } from '@trimtab/test-bed/fakes/history-server.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { afterEach, expect, test } from 'vitest';
import type { Projection } from '../client.ts';
import { createLogger } from '../log/log.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { createRegistry } from '../metrics/metrics.ts';
import { configMaps } from '../resource.ts';
import type { KubeObject } from '../wire.ts';
import { keepMetadata } from './keep-metadata.ts';
import { Reflector } from './reflector.ts';
import type { Change } from './store.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Runs a reflector against an in-memory server, with a manual clock. */
async function startReflector(
  server: HistoryServer,
  { pageSize = 2, settle = true, projection = 'metadata' as Projection, log = silentLogger } = {},
) {
  const clock = new ManualClock();
  const metrics = createRegistry();
  const stop = new AbortController();
  const reflector = new Reflector<KubeObject, 'byApp'>({
    name: 'configs',
    client: server.client,
    resource: configMaps,
    projection,
    transform: keepMetadata,
    indexes: { byApp: (object) => [object.metadata.labels?.['app'] ?? ''] },
    log,
    metrics,
    clock,
    random: () => 0.5,
    timings: { pageSize, backoff: { initialMs: 200, maxMs: 1_000 } },
  });
  const changes: Change<KubeObject>[] = [];
  reflector.subscribe((change) => {
    changes.push(change);
  });
  const running = reflector.run(stop.signal);
  stops.push(async () => {
    stop.abort(new Error('the test is over'));
    await running;
  });
  if (settle) await clock.advance(0);
  return { reflector, clock, metrics, changes, stop, running };
}

function versions(objects: Iterable<[string, KubeObject]>): Record<string, string | undefined> {
  return Object.fromEntries([...objects].map(([key, object]) => [key, object.metadata.resourceVersion]));
}

test('objects that exist, change and go are seen, and the index follows', async () => {
  const server = new HistoryServer();
  server.write('shop/a', { app: 'x' });
  const { reflector, clock, changes } = await startReflector(server);
  await reflector.waitForSync(AbortSignal.timeout(1_000));
  expect(reflector.cache.get('shop/a')?.metadata.name).toBe('a');

  server.write('shop/b', { app: 'x' });
  server.write('shop/a', { app: 'y' });
  server.delete('shop/b');
  await clock.advance(0);
  expect(versions(reflector.cache.entries())).toEqual(versions(server.state()));
  expect([...reflector.cache.keysBy('byApp', 'x')]).toEqual([]);
  expect([...reflector.cache.keysBy('byApp', 'y')]).toEqual(['shop/a']);
  expect(changes.map(({ key, before, after }) => [key, !!before, !!after])).toEqual([
    ['shop/a', false, true],
    ['shop/b', false, true],
    ['shop/a', true, true],
    ['shop/b', true, false],
  ]);
});

test('a server without initial events is listed in pages, and is not asked for them again', async () => {
  const server = new HistoryServer();
  server.servesInitialEvents = false;
  for (const name of ['a', 'b', 'c', 'd', 'e']) server.write(`shop/${name}`);
  const { reflector, clock } = await startReflector(server);
  await clock.advance(0);
  expect(reflector.health().synced).toBe(true);
  expect(reflector.cache.size).toBe(5);
  expect(server.requests).toEqual(['watch-list', 'list', 'list', 'list', 'watch']);
  await Promise.all([reflector.refresh(), clock.advance(0)]);
  expect(server.requests.slice(5)).toEqual(['list', 'list', 'list', 'watch']);
});

test('a server that takes the request for initial events but never ends them is listed', async () => {
  const server = new HistoryServer();
  server.write('shop/a');
  server.streamFaults = ['stall'];
  const { reflector, clock } = await startReflector(server);
  await clock.advance(29_000);
  expect(reflector.health().synced).toBe(false);
  await clock.advance(2_000);
  expect(reflector.health().synced).toBe(true);
});

test('after 410 the collection is read anew, and what went meanwhile is reported as deleted', async () => {
  const server = new HistoryServer();
  server.write('shop/a');
  server.write('shop/b');
  server.streamFaults = ['none', 'none', 'none', 'drop-and-cut'];
  const { reflector, clock, changes, metrics } = await startReflector(server);
  changes.length = 0;
  server.write('shop/c');
  await clock.advance(0);
  server.delete('shop/a');
  server.compact();
  await clock.advance(1_000);
  expect(versions(reflector.cache.entries())).toEqual(versions(server.state()));
  expect(changes.find(({ key }) => key === 'shop/a')).toMatchObject({ before: { metadata: { name: 'a' } } });
  expect(metrics.render()).toContain('trimtab_watch_relists_total{watch="configs",cause="gone"} 1');
});

test('a failure that repeats is logged every 30 s, and at once when it differs or comes back', async () => {
  const server = new HistoryServer();
  server.write('shop/a');
  const warnings: string[] = [];
  const write = (line: string) => warnings.push(JSON.parse(line).code);
  const log = createLogger({ program: 'test', level: 'warn', destination: { write } });
  const { clock } = await startReflector(server, { log });
  const fail = async (fault: RequestFault, ms: number) => {
    server.requestFaults = Array.from({ length: 1_000 }, () => fault);
    await clock.advance(ms);
  };
  server.streamFaults = ['cut'];
  server.write('shop/a');
  await fail('network', 59_000);
  await fail('unavailable', 10_000);
  expect(warnings).toEqual(['ECONNRESET', 'ECONNREFUSED', 'ECONNREFUSED', '503']);
  server.requestFaults = [];
  await clock.advance(5_000);
  server.streamFaults = ['cut'];
  server.write('shop/a');
  await fail('unavailable', 10_000);
  expect(warnings.slice(4)).toEqual(['ECONNRESET', '503']);
});

test('the metrics say for how long the watch fails', async () => {
  const server = new HistoryServer();
  server.write('shop/a');
  const { clock, metrics } = await startReflector(server);
  const failing = () =>
    Number(/^trimtab_watch_failing_seconds{watch="configs"} (.*)$/m.exec(metrics.render())?.[1]);
  expect(failing()).toBe(0);
  server.streamFaults = ['cut'];
  server.requestFaults = Array.from({ length: 1_000 }, () => 'unavailable' as const);
  server.write('shop/a');
  await clock.advance(90_000);
  expect(failing()).toBeGreaterThan(80);
  server.requestFaults = [];
  await clock.advance(10_000);
  expect(failing()).toBe(0);
});

test('a stale change after a deletion does not bring the object back', async () => {
  const server = new HistoryServer();
  server.write('shop/a');
  const { reflector, clock, changes } = await startReflector(server);
  server.streamFaults = ['none', 'none', 'repeat-earlier'];
  server.write('shop/a');
  server.write('shop/a');
  server.delete('shop/a');
  await clock.advance(5_000);
  expect(reflector.cache.size).toBe(0);
  expect(changes.at(-1)).toEqual({ key: 'shop/a', before: expect.anything() });
});

test('what the server forgot to tell is healed by the periodic reading', async () => {
  const server = new HistoryServer();
  server.write('shop/a');
  const { reflector, clock, metrics } = await startReflector(server);
  server.streamFaults = ['lose'];
  server.delete('shop/a');
  await clock.advance(60_000);
  expect(reflector.cache.size).toBe(1);
  await clock.advance(30 * 60_000);
  expect(reflector.cache.size).toBe(0);
  expect(metrics.render()).toContain('trimtab_watch_relists_total{watch="configs",cause="periodic"} 1');
});

test('refresh heals at once, also while the watch waits after a failure', async () => {
  const server = new HistoryServer();
  server.write('shop/a');
  const { reflector, clock } = await startReflector(server);
  server.streamFaults = ['lose', 'cut'];
  server.delete('shop/a');
  server.write('shop/b');
  await clock.advance(0);
  expect([...reflector.cache.keys()].sort()).toEqual(['shop/a', 'shop/b']);
  const refreshed = reflector.refresh();
  await clock.advance(0);
  await refreshed;
  expect([...reflector.cache.keys()]).toEqual(['shop/b']);
});

test('refresh in the middle of a reading waits for the next one', async () => {
  const server = new HistoryServer();
  server.write('shop/a');
  server.write('shop/b');
  const { reflector, clock, changes } = await startReflector(server);
  server.requests.length = 0;
  let second: Promise<void> | undefined;
  reflector.subscribe(({ key }) => {
    if (key === 'shop/c') second ??= reflector.refresh();
  });
  server.streamFaults = ['lose'];
  server.write('shop/c');
  await clock.advance(0);
  await Promise.all([reflector.refresh(), clock.advance(0)]);
  await second;
  expect(changes.at(-1)?.key).toBe('shop/c');
  expect(server.requests).toEqual(['watch-list', 'watch-list']);
});

test('the health stamp shows silence, failures and recovery', async () => {
  const server = new HistoryServer();
  server.write('shop/a');
  const { reflector, clock } = await startReflector(server);
  await clock.advance(50_000);
  expect(reflector.health()).toEqual({ synced: true, secondsSinceActivity: 50 });

  server.requestFaults = ['internal', 'network', 'network', 'network'];
  server.streamFaults = ['cut'];
  server.write('shop/a');
  await clock.advance(1_000);
  expect(reflector.health()).toMatchObject({ failingForSeconds: 1, lastErrorCode: 'ECONNREFUSED' });
  await clock.advance(5_000);
  expect(reflector.health()).not.toHaveProperty('failingForSeconds');
});

test('a stream on which nothing is said for long is opened anew', async () => {
  const server = new HistoryServer();
  const { clock } = await startReflector(server);
  await clock.advance(140_000);
  expect(server.requests).toEqual(['watch-list']);
  await clock.advance(20_000);
  expect(server.requests).toEqual(['watch-list', 'watch']);
  expect(server.openStreams).toBe(1);
});

test('a server that ends each stream at once is not asked in a hot loop', async () => {
  const server = new HistoryServer();
  server.write('shop/a');
  const { clock } = await startReflector(server);
  server.requests.length = 0;
  server.streamFaults = Array(1_000).fill('nonsense');
  for (let n = 0; n < 100; n++) {
    server.write('shop/a');
    await clock.advance(100);
  }
  expect(server.requests.length).toBeLessThan(30);
});

test('after the stop no stream and no timer is left, and whoever waited is told', async () => {
  const server = new HistoryServer();
  server.requestFaults = ['network'];
  const { reflector, clock, stop, running } = await startReflector(server, { settle: false });
  const synced = reflector.waitForSync(new AbortController().signal);
  const refreshed = reflector.refresh();
  stop.abort(new Error('stop'));
  await running;
  await expect(synced).rejects.toThrow('stop');
  await expect(refreshed).rejects.toThrow('stop');
  expect(clock.pending).toBe(0);

  const second = await startReflector(server);
  expect(server.openStreams).toBe(1);
  second.stop.abort(new Error('stop'));
  await second.running;
  expect(server.openStreams).toBe(0);
  expect(second.clock.pending).toBe(0);
});

test('a handler that comes late hears of everything that is there', async () => {
  const server = new HistoryServer();
  server.write('shop/a');
  server.write('shop/b');
  const { reflector, clock } = await startReflector(server);
  const heard: string[] = [];
  const unsubscribe = reflector.subscribe(({ key }) => {
    heard.push(key);
  });
  expect(heard).toEqual(['shop/a', 'shop/b']);
  unsubscribe();
  server.write('shop/a');
  await clock.advance(0);
  expect(heard).toEqual(['shop/a', 'shop/b']);
});

test('what we wrote is there before the watch tells of it, and is told once', async () => {
  const server = new HistoryServer();
  server.write('shop/a');
  const { reflector, clock, changes } = await startReflector(server);
  changes.length = 0;
  server.write('shop/a', { app: 'x' });
  const answer = server.state().get('shop/a');
  if (answer) reflector.note(answer);
  expect([...reflector.cache.keysBy('byApp', 'x')]).toEqual(['shop/a']);
  await clock.advance(0);
  expect(changes).toHaveLength(1);
});

test('an answer that comes when the watch has told of the end brings nothing back', async () => {
  const server = new HistoryServer();
  const { reflector, clock } = await startReflector(server);
  server.write('shop/a');
  const answer = server.state().get('shop/a');
  server.delete('shop/a');
  await clock.advance(0);
  if (answer) reflector.note(answer);
  expect(reflector.cache.get('shop/a')).toBeUndefined();
});

test('an own write while the watch is down is in the cache at once', async () => {
  const server = new HistoryServer();
  const { reflector, clock, changes } = await startReflector(server);
  server.write('shop/a');
  await clock.advance(0);
  server.streamFaults = ['cut'];
  server.requestFaults = ['network'];
  server.write('shop/b');
  await clock.advance(0);
  server.write('shop/a', { app: 'x' });
  const response = server.state().get('shop/a');
  if (response) reflector.note(response);
  expect([...reflector.cache.keysBy('byApp', 'x')]).toEqual(['shop/a']);

  changes.length = 0;
  await clock.advance(60_000);
  expect(changes.filter(({ key }) => key === 'shop/a')).toEqual([]);
  expect(versions(reflector.cache.entries())).toEqual(versions(server.state()));
});

test('metadata alone does not replace a whole object', async () => {
  const server = new HistoryServer();
  const { reflector, clock } = await startReflector(server, { projection: 'full' });
  server.write('shop/a');
  await clock.advance(0);
  const before = reflector.cache.get('shop/a');
  server.write('shop/a');
  const response = server.state().get('shop/a');
  if (response) reflector.note(response, 'metadata');
  expect(reflector.cache.get('shop/a')).toBe(before);
});
