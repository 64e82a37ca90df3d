import { createConnection } from 'node:net';
import { connect } from 'node:tls';
import { configMaps } from '@trimtab/kube/resource.ts';
import { isGone } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject, WatchEvent } from '@trimtab/kube/wire.ts';
import { type LocalServer, startLocalServer } from '@trimtab/test-bed/engines/local-server.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let local: LocalServer;
const namespace = 'default';

beforeAll(async () => {
  local = await startLocalServer();
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    await local.client.create(configMaps, {
      metadata: { name, namespace, labels: { odd: String('ace'.includes(name)) } },
    });
});
afterAll(() => local.close());

const names = (items: KubeObject[]) => items.map(({ metadata }) => metadata.name);

test('pages are one snapshot, whatever happens in between', async () => {
  const first = await local.client.list(configMaps, { namespace, limit: 2 });
  expect(names(first.items)).toEqual(['a', 'b']);
  expect(first.metadata.remainingItemCount).toBe(3);
  await local.client.create(configMaps, { metadata: { name: 'bb', namespace } });
  const token = first.metadata.continue as string;
  const rest = await local.client.list(configMaps, { namespace, continue: token });
  expect(names(rest.items)).toEqual(['c', 'd', 'e']);
  expect(rest.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  await local.client.delete(configMaps, { namespace, name: 'bb' });
});

test('selectors choose, also over pages', async () => {
  const all = await local.client.list(configMaps, { namespace, labelSelector: 'odd=true' });
  expect(names(all.items)).toEqual(['a', 'c', 'e']);
  const page = await local.client.list(configMaps, { namespace, labelSelector: 'odd=true', limit: 2 });
  expect(names(page.items)).toEqual(['a', 'c']);
  expect(page.metadata).not.toHaveProperty('remainingItemCount');
  const rest = await local.client.list(configMaps, {
    namespace,
    labelSelector: 'odd=true',
    continue: page.metadata.continue as string,
  });
  expect(names(rest.items)).toEqual(['e']);
  expect(
    names((await local.client.list(configMaps, { namespace, fieldSelector: 'metadata.name=d' })).items),
  ).toEqual(['d']);
});

test('a list of metadata has no bodies', async () => {
  const { items } = await local.client.list(configMaps, { namespace, projection: 'metadata', limit: 1 });
  expect(items[0]).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'a' } });
});

async function watching(options: Partial<Parameters<LocalServer['client']['watch']>[1]>) {
  const stop = new AbortController();
  const stream = await local.client.watch(configMaps, {
    namespace,
    timeoutSeconds: 60,
    signal: stop.signal,
    ...options,
  });
  const events = stream.events[Symbol.asyncIterator]() as AsyncIterator<WatchEvent>;
  return {
    async next() {
      const { value } = (await events.next()) as { value: WatchEvent };
      return [value.type, value.object.metadata?.name] as const;
    },
    async event() {
      return ((await events.next()) as { value: WatchEvent }).value;
    },
    stop: () => stream.close(),
  };
}

test('a watch goes on from a version and tells every change', async () => {
  const { metadata } = await local.client.list(configMaps, { namespace });
  await local.client.create(configMaps, { metadata: { name: 'w', namespace } });
  const watch = await watching({ resourceVersion: metadata.resourceVersion as string });
  expect(await watch.next()).toEqual(['ADDED', 'w']);
  await local.client.patch(
    configMaps,
    { namespace, name: 'w' },
    { type: 'merge', body: { data: { a: '1' } } },
  );
  expect(await watch.next()).toEqual(['MODIFIED', 'w']);
  await local.client.delete(configMaps, { namespace, name: 'w' });
  expect(await watch.next()).toEqual(['DELETED', 'w']);
  watch.stop();
});

test('objects enter and leave what a selector matches', async () => {
  const { metadata } = await local.client.list(configMaps, { namespace });
  const watch = await watching({
    labelSelector: 'see=yes',
    resourceVersion: metadata.resourceVersion as string,
  });
  const where = { namespace, name: 'door' };
  const label = (see: string | null) =>
    local.client.patch(configMaps, where, { type: 'merge', body: { metadata: { labels: { see } } } });
  await local.client.create(configMaps, { metadata: where });
  await label('yes');
  expect(await watch.next()).toEqual(['ADDED', 'door']);
  const left = await label('no');
  const event = await watch.event();
  expect(event).toMatchObject({ type: 'DELETED', object: { metadata: { labels: { see: 'yes' } } } });
  expect(event.object.metadata.resourceVersion).toBe(left.metadata.resourceVersion);
  await label('maybe');
  await label('yes');
  expect(await watch.next()).toEqual(['ADDED', 'door']);
  await local.client.delete(configMaps, where);
  expect(await watch.next()).toEqual(['DELETED', 'door']);
  watch.stop();
});

test('a watch that asks for initial events is told when it has them all', async () => {
  const watch = await watching({ sendInitialEvents: true });
  for (const name of ['a', 'b', 'c', 'd', 'e']) expect(await watch.next()).toEqual(['ADDED', name]);
  expect(await watch.event()).toMatchObject({
    type: 'BOOKMARK',
    object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
  });
  watch.stop();
});

test('what is older than five minutes is gone: a watch is told, a token offers a way on', async () => {
  // Certificates are issued by this clock, and the client checks their validity by the real one.
  const clock = new ManualClock(Date.now());
  const own = await startLocalServer({ clock });
  for (const name of ['a', 'b', 'c']) await own.client.create(configMaps, { metadata: { name, namespace } });
  const first = await own.client.list(configMaps, { namespace, limit: 1 });
  await own.client.delete(configMaps, { namespace, name: 'b' });
  await clock.advance(10 * 60_000);
  await own.client.create(configMaps, { metadata: { name: 'd', namespace } });
  const token = first.metadata.continue as string;
  const error = await own.client
    .list(configMaps, { namespace, continue: token })
    .catch((thrown: unknown) => thrown);
  expect(isGone(error)).toBe(true);
  expect((error as Error).message).toContain(
    'The provided continue parameter is too old to display a consistent list result.',
  );
  const onward = (error as { body: { metadata: { continue: string } } }).body.metadata.continue;
  expect(names((await own.client.list(configMaps, { namespace, continue: onward })).items)).toEqual([
    'c',
    'd',
  ]);
  const stream = await own.client.watch(configMaps, {
    namespace,
    timeoutSeconds: 60,
    signal: new AbortController().signal,
    resourceVersion: '1',
  });
  for await (const event of stream.events) {
    expect(event).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    break;
  }
  stream.close();
  await own.close();
});

test('a client that never reads loses its connection, and nobody waits for it', async () => {
  const { hostname, port } = new URL(local.server.url);
  const socket = connect({
    socket: createConnection({ host: hostname, port: Number(port) }),
    ca: local.server.authority,
    servername: 'localhost',
  });
  const path = `/api/v1/namespaces/${namespace}/configmaps?watch=true&fieldSelector=metadata.name%3Dloud`;
  socket.write(
    `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${local.server.adminToken}\r\n\r\n`,
  );
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
  let closed = false;
  socket.on('error', () => {
    closed = true;
  });
  socket.on('close', () => {
    closed = true;
  });
  const where = { namespace, name: 'loud' };
  await local.client.create(configMaps, { metadata: where });
  for (let round = 0; round < 40; round++)
    await local.client.patch(configMaps, where, {
      type: 'merge',
      body: { data: { noise: String(round).padEnd(900_000, '.') } },
    });
  socket.resume();
  await waitFor('the connection to end', async () => (closed ? { met: true } : { seen: 'open' }));
  await local.client.delete(configMaps, where);
});
