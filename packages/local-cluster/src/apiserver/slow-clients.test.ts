import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { type LocalServer, startLocalServer } from '@trimtab/test-bed/engines/local-server.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';

const collection = '/api/v1/namespaces/default/configmaps';
const limits = { requestTimeoutMs: 5_000, idleTimeoutMs: 9_000 };

let clock: ManualClock;
let local: LocalServer;

beforeEach(async () => {
  // Certificates are issued by this clock, and clients check their validity by the real one.
  clock = new ManualClock(Date.now());
  local = await startLocalServer({ clock, ...limits });
});
afterEach(() => local.close());

interface Slow {
  socket: TLSSocket;
  /** Text received from the server. */
  heard(): string;
  isClosed(): boolean;
}

/** Opens a connection and sends the text; resolves when the server has started a timer for it. */
async function begun(words: string): Promise<Slow> {
  const { hostname, port } = new URL(local.server.url);
  const timers = clock.pending;
  const socket = connect({ host: hostname, port: Number(port), ca: local.server.authority });
  let text = '';
  let closed = false;
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.once('close', () => {
    closed = true;
  });
  await once(socket, 'secureConnect');
  socket.write(words);
  await waitFor('the server to start a timer', async () =>
    clock.pending > timers ? { met: true } : { seen: `${clock.pending} timers` },
  );
  return { socket, heard: () => text, isClosed: () => closed };
}

/** Sends one character per second. */
async function trickle({ socket }: Slow, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    socket.write('x');
    await clock.advance(1_000);
  }
}

const closing = (slow: Slow) =>
  waitFor('the connection to end', async () => (slow.isClosed() ? { met: true } : { seen: 'open' }));

const post = (token: string) =>
  `POST ${collection} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n`;

test('who sends headers drop by drop loses the connection, unheard', async () => {
  const slow = await begun('GET /version HTTP/1.1\r\nhost: localhost\r\nx-slow: ');
  await trickle(slow, 14);
  await closing(slow);
  expect(slow.heard()).toBe('');
});

test('who sends a body drop by drop loses the connection, and nothing is written', async () => {
  const slow = await begun(`${post(local.server.adminToken)}{"metadata":{"name":"slow"},"data":{"a":"`);
  // The headers are complete, so the shorter of the two limits applies.
  await trickle(slow, 14);
  await closing(slow);
  expect(slow.heard()).toBe('');
  const { items } = await local.client.list(configMaps, { namespace: 'default' });
  expect(items.map(({ metadata }) => metadata.name)).not.toContain('slow');
});

test('who is refused before the body has come cannot go on sending it for ever', async () => {
  const slow = await begun(post('nobody'));
  await waitFor('the refusal', async () =>
    slow.heard().includes('401 Unauthorized') ? { met: true } : { seen: slow.heard() },
  );
  await trickle(slow, 14);
  await closing(slow);
});

test('a watch on which nothing happens is no slow client', async () => {
  const query = 'watch=true&resourceVersion=0&timeoutSeconds=600';
  const watch = await begun(
    `GET ${collection}?${query} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${local.server.adminToken}\r\n\r\n`,
  );
  await waitFor('the watch to open', async () =>
    watch.heard().includes('200 OK') ? { met: true } : { seen: watch.heard() },
  );
  await clock.advance(60_000);
  // A new client, as the server has closed the idle connections of the other one.
  const client = httpClient({ access: local.access, log: silentLogger });
  await client.create(configMaps, { metadata: { name: 'heard', namespace: 'default' } });
  await waitFor('the event', async () =>
    watch.heard().includes('"type":"ADDED"') ? { met: true } : { seen: watch.heard() },
  );
  expect(watch.isClosed()).toBe(false);
  watch.socket.destroy();
  client.close();
});
