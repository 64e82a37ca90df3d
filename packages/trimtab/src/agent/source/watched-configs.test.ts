import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { createRegistry } from '@trimtab/kube/metrics/metrics.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterEach, expect, test } from 'vitest';
import type { ConfigRef } from './config.ts';
import type { Observed } from './source.ts';
import { WatchedConfigs } from './watched-configs.ts';

interface Event {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  key: string;
  version: number;
  object: KubeObject;
}

/** An API server with ConfigMaps and Secrets, as far as the agent with its Role may use it. */
class ApiServer {
  servesInitialEvents = true;
  /** Every request is answered with this status. */
  refusal: number | undefined;
  /** Called after each response to a get. */
  onGet = () => {};
  readonly requests: string[] = [];
  readonly #history: Event[] = [];
  readonly #watches = new Set<{ key: string; response: ServerResponse }>();
  readonly #server = createServer((request, response) => this.#respond(request, response));
  #version = 100;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async listen(): Promise<void> {
    await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Nothing listens any more, and all connections are cut. */
  async goAway(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** `key` is `configmaps/shop/web`. */
  write(key: string, data: Record<string, string>): void {
    const [, namespace = '', name = ''] = key.split('/');
    const before = this.#object(key);
    const version = ++this.#version;
    const uid = before?.metadata.uid ?? `uid-${version}`;
    const object = { metadata: { namespace, name, uid, resourceVersion: String(version) }, data };
    this.#record({ type: before ? 'MODIFIED' : 'ADDED', key, version, object });
  }

  delete(key: string): void {
    const before = this.#object(key);
    if (before === undefined) return;
    const version = ++this.#version;
    const object = { metadata: { ...before.metadata, resourceVersion: String(version) } };
    this.#record({ type: 'DELETED', key, version, object });
  }

  #object(key: string): KubeObject | undefined {
    const last = this.#history.findLast((event) => event.key === key);
    return last?.type === 'DELETED' ? undefined : last?.object;
  }

  #record(event: Event): void {
    this.#history.push(event);
    for (const { key, response } of this.#watches) if (key === event.key) send(response, event);
  }

  #respond({ url = '' }: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(url, this.url);
    const [, namespace = '', plural = '', name] =
      /^\/api\/v1\/namespaces\/([^/]+)\/([a-z]+)(?:\/([^/]+))?$/.exec(pathname) ?? [];
    const isWatch = searchParams.get('watch') !== null;
    const version = searchParams.get('resourceVersion');
    const withInitialEvents = searchParams.get('sendInitialEvents') === 'true';
    this.requests.push(
      isWatch
        ? `watch ${withInitialEvents ? 'with initial events' : `from ${version}`}`
        : `get ${name ?? 'all'}`,
    );
    const selected = /^metadata\.name=(.+)$/.exec(searchParams.get('fieldSelector') ?? '')?.[1];
    const object = this.#object(`${plural}/${namespace}/${name}`);
    if (this.refusal !== undefined) status(response, this.refusal);
    else if (!isWatch && object === undefined) status(response, 404);
    else if (!isWatch) response.end(JSON.stringify(object), () => this.onGet());
    else if (withInitialEvents && !this.servesInitialEvents) status(response, 422);
    else this.#watch(`${plural}/${namespace}/${selected}`, response, withInitialEvents ? null : version);
  }

  #watch(key: string, response: ServerResponse, from: string | null): void {
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    const object = this.#object(key);
    if (from === null || from === '0') {
      if (object !== undefined) send(response, { type: 'ADDED', object });
    } else
      for (const event of this.#history)
        if (event.key === key && event.version > Number(from)) send(response, event);
    if (from === null) {
      const annotations = { 'k8s.io/initial-events-end': 'true' };
      send(response, {
        type: 'BOOKMARK',
        object: { metadata: { resourceVersion: String(this.#version), annotations } },
      });
    }
    const watch = { key, response };
    this.#watches.add(watch);
    response.on('close', () => this.#watches.delete(watch));
  }
}

function send(response: ServerResponse, { type, object }: { type: string; object: unknown }): void {
  response.write(`${JSON.stringify({ type, object })}\n`);
}

function status(response: ServerResponse, code: number): void {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ apiVersion: 'v1', kind: 'Status', status: 'Failure', code }));
}

const web: ConfigRef = { kind: 'ConfigMap', namespace: 'shop', name: 'web' };
const tls: ConfigRef = { kind: 'Secret', namespace: 'shop', name: 'tls' };

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Watches configs of a server, with short waits between attempts. */
async function watchConfigs(server: ApiServer, refs: readonly ConfigRef[]) {
  await server.listen();
  const client = httpClient({
    access: { server: server.url, namespace: 'default', tls: async () => ({}), headers: async () => ({}) },
  });
  const metrics = createRegistry();
  const configs = new WatchedConfigs({
    client,
    refs,
    metrics,
    log: silentLogger,
    timings: { backoff: { initialMs: 2, maxMs: 20 } },
  });
  const stop = new AbortController();
  let changes = 0;
  const running = configs.run(() => {
    changes += 1;
  }, stop.signal);
  stops.push(async () => {
    stop.abort();
    await running;
    client.close();
    await server.goAway();
  });
  /** Waits until the configs are observed like this. Every observation is announced by a change. */
  const expectObserved = (...expected: string[]) =>
    waitFor(
      `configs ${expected}`,
      async () => {
        const seen = configs.observe().map(textOf);
        const isMet = JSON.stringify(seen) === JSON.stringify(expected) && changes > 0;
        if (!isMet) return { seen: `${seen}, ${changes} changes` };
        changes = 0;
        return { met: undefined };
      },
      { everyMs: 2 },
    );
  return { configs, metrics, expectObserved };
}

/** `web: {"a":"1"}`, `web: missing`. */
function textOf(observed: Observed): string {
  if (observed.state !== 'present') return `${observed.ref.name}: ${observed.state}`;
  const { name, entries } = observed.config;
  const content = Object.fromEntries([...entries].map(([key, bytes]) => [key, bytes.toString()]));
  return `${name}: ${JSON.stringify(content)}`;
}

test('configs that exist are observed in the order of the flags', async () => {
  const server = new ApiServer();
  server.write('configmaps/shop/web', { a: '1' });
  server.write('secrets/shop/tls', { key: Buffer.from('s3cret').toString('base64') });
  const { configs, expectObserved } = await watchConfigs(server, [tls, web]);
  await expectObserved('tls: {"key":"s3cret"}', 'web: {"a":"1"}');
  expect(configs.interruption()).toBeUndefined();
});

test('a config is unknown until the server has answered', () => {
  const client = httpClient({
    access: {
      server: 'http://127.0.0.1:1',
      namespace: 'x',
      tls: async () => ({}),
      headers: async () => ({}),
    },
  });
  const configs = new WatchedConfigs({ client, refs: [web], log: silentLogger });
  expect(configs.observe()).toEqual([{ state: 'unknown', ref: web }]);
  client.close();
});

for (const servesInitialEvents of [true, false])
  test(`a config is created, edited, deleted and created again on a server ${
    servesInitialEvents ? 'with' : 'without'
  } initial events`, async () => {
    const server = new ApiServer();
    server.servesInitialEvents = servesInitialEvents;
    const { configs, expectObserved } = await watchConfigs(server, [web]);
    await expectObserved('web: missing');
    server.write('configmaps/shop/web', { a: '1' });
    await expectObserved('web: {"a":"1"}');
    server.write('configmaps/shop/web', { a: '2' });
    await expectObserved('web: {"a":"2"}');
    const [before] = configs.observe();
    server.delete('configmaps/shop/web');
    await expectObserved('web: missing');
    server.write('configmaps/shop/web', { a: '3' });
    await expectObserved('web: {"a":"3"}');
    const [after] = configs.observe();
    expect(after).not.toHaveProperty('config.uid', before?.state === 'present' ? before.config.uid : '');
    expect(configs.interruption()).toBeUndefined();
    expect(server.requests).toEqual(
      servesInitialEvents
        ? ['watch with initial events']
        : ['watch with initial events', 'get web', 'watch from 0'],
    );
  });

test('a server that goes away is an interruption; the configs stay, and changes meanwhile are observed', async () => {
  const server = new ApiServer();
  server.write('configmaps/shop/web', { a: '1' });
  const { configs, expectObserved } = await watchConfigs(server, [web, tls]);
  await expectObserved('web: {"a":"1"}', 'tls: missing');
  await server.goAway();
  const { problem } = await waitFor('an interruption', async () => {
    const found = configs.interruption();
    return found?.problem.includes('ECONNREFUSED') ? { met: found } : { seen: `${found?.problem}` };
  });
  expect(problem).toMatch(/^watch of (configmap shop\/web|secret shop\/tls): ECONNREFUSED$/);
  expect(configs.observe().map(textOf)).toEqual(['web: {"a":"1"}', 'tls: missing']);

  server.write('configmaps/shop/web', { a: '2' });
  server.write('secrets/shop/tls', {});
  await server.listen();
  await expectObserved('web: {"a":"2"}', 'tls: {}');
  expect(configs.interruption()).toBeUndefined();
});

test('a config that is deleted while the server is away is missing afterwards', async () => {
  const server = new ApiServer();
  server.servesInitialEvents = false;
  server.write('configmaps/shop/web', { a: '1' });
  const { expectObserved } = await watchConfigs(server, [web]);
  await expectObserved('web: {"a":"1"}');
  await server.goAway();
  server.delete('configmaps/shop/web');
  await server.listen();
  await expectObserved('web: missing');
});

test('a config that is deleted between the list and the watch is missing', async () => {
  const server = new ApiServer();
  server.servesInitialEvents = false;
  server.onGet = () => server.delete('configmaps/shop/web');
  server.write('configmaps/shop/web', { a: '1' });
  const { expectObserved } = await watchConfigs(server, [web]);
  await expectObserved('web: missing');
  server.write('configmaps/shop/web', { a: '2' });
  await expectObserved('web: {"a":"2"}');
});

test('an agent without the rights is told so, and goes on when it gets them', async () => {
  const server = new ApiServer();
  server.refusal = 403;
  const { configs, expectObserved } = await watchConfigs(server, [web]);
  const { problem, forSeconds } = await waitFor('an interruption', async () => {
    const found = configs.interruption();
    return found === undefined ? { seen: 'none' } : { met: found };
  });
  expect(problem).toBe('watch of configmap shop/web: 403');
  expect(forSeconds).toBeLessThan(30);
  expect(configs.observe()).toEqual([{ state: 'unknown', ref: web }]);
  server.refusal = undefined;
  server.write('configmaps/shop/web', { a: '1' });
  await expectObserved('web: {"a":"1"}');
});

test('the longest interruption of several configs is reported', async () => {
  const server = new ApiServer();
  server.refusal = 503;
  const { configs } = await watchConfigs(server, [web, tls]);
  await waitFor('both interruptions', async () => {
    const seen = server.requests.length;
    return seen >= 4 ? { met: undefined } : { seen: `${seen} requests` };
  });
  expect(configs.interruption()).toMatchObject({ problem: 'watch of configmap shop/web: 503' });
});

test('each config has its own watch in the metrics', async () => {
  const server = new ApiServer();
  const { metrics, expectObserved } = await watchConfigs(server, [web, tls]);
  await expectObserved('web: missing', 'tls: missing');
  const lines = metrics.render().match(/^trimtab_watch_synced\{.*$/gm);
  expect(lines).toEqual([
    'trimtab_watch_synced{watch="configmap shop/web"} 1',
    'trimtab_watch_synced{watch="secret shop/tls"} 1',
  ]);
});
