import { once } from 'node:events';
import type { Socket } from 'node:net';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { afterEach, expect, test, vi } from 'vitest';
import { ScriptedUpstream } from '../../../test/gateway/support/scripted-upstream.ts';

let upstream: ScriptedUpstream;
afterEach(() => upstream?.close());

const ask = (...more: string[]) =>
  [
    ...['POST /api/v1/namespaces/a/pods/b/exec?command=sh HTTP/1.1', 'Host: x', 'Content-Length: 0'],
    ...[
      'Connection: Upgrade',
      'Upgrade: SPDY/3.1',
      'X-Stream-Protocol-Version: v4.channel.k8s.io',
      ...more,
      '',
      '',
    ],
  ].join('\r\n');

/** Accepts the upgrade, sends `hello`, and hands the server's socket to the test. */
async function agreeing(options: Parameters<typeof ScriptedUpstream.start>[1] = {}) {
  const { promise: server, resolve } = Promise.withResolvers<Socket>();
  upstream = await ScriptedUpstream.start(
    {
      upgrade(_, socket, head) {
        const headers = [
          'Connection: Upgrade',
          'Upgrade: SPDY/3.1',
          'X-Stream-Protocol-Version: v4.channel.k8s.io',
        ];
        socket.write(['HTTP/1.1 101 Switching Protocols', ...headers, '', 'hello'].join('\r\n'));
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      },
    },
    options,
  );
  return { server };
}

async function until(socket: Socket, text: string): Promise<string> {
  let seen = '';
  while (!seen.includes(text))
    seen += Buffer.from((await once(socket, 'data'))[0], 'latin1').toString('latin1');
  return seen;
}

test('when both sides agree, bytes go both ways as they are, from the first one on', async () => {
  const { server: agreed } = await agreeing();
  const client = await upstream.connect();
  client.write(`${ask('Authorization: Bearer x')}early`);
  const head = await until(client, 'hello');
  expect(head).toMatch(/^HTTP\/1.1 101 Switching Protocols\r\n/);
  expect(head).toContain('X-Stream-Protocol-Version: v4.channel.k8s.io\r\n');
  expect(head.match(/upgrade: spdy\/3.1/gi)).toHaveLength(1);
  const server = await agreed;
  expect(await until(server, 'early')).toBe('early');
  expect(await upstream.gateway.metrics()).toContain('trimtab_gateway_open_streams{kind="upgrade"} 1');
  server.write('\x00\xff', 'latin1');
  expect(await until(client, '\xff')).toBe('\x00\xff');
  const { url, headers } = upstream.requests[0] ?? {};
  expect(url).toBe('/api/v1/namespaces/a/pods/b/exec?command=sh');
  expect(headers).toMatchObject({ authorization: 'Bearer x', connection: 'Upgrade', upgrade: 'SPDY/3.1' });
  client.destroy();
  await once(server.resume(), 'end');
  await vi.waitFor(async () =>
    expect(await upstream.gateway.metrics()).toContain('trimtab_gateway_open_streams{kind="upgrade"} 0'),
  );
});

test('what a server says last still arrives', async () => {
  const { server: agreed } = await agreeing();
  const client = await upstream.connect();
  client.write(ask());
  await until(client, 'hello');
  const ended = once(client, 'end');
  const farewell = until(client, 'bye');
  (await agreed).end('x'.repeat(1_000_000).concat('bye'));
  expect(await farewell).toHaveLength(1_000_003);
  await ended;
});

test('a client that still talks when the server has ended is not reset', async () => {
  const { server: agreed } = await agreeing();
  const client = await upstream.connect({ allowHalfOpen: true });
  client.write(ask());
  await until(client, 'hello');
  const ended = once(client, 'end');
  (await agreed).end();
  await ended;
  // The data is discarded without an error. After a reset, one of these writes would fail.
  for (let n = 0; n < 50; n++)
    await new Promise<void>((resolve, reject) =>
      client.write('still here', (error) => (error ? reject(error) : setImmediate(resolve))),
    );
  client.end();
  await once(client, 'close');
});

test('a client that was refused and stays is cut off after a while', async () => {
  const clock = new ManualClock();
  await agreeing({ clock });
  const client = await upstream.connect({ allowHalfOpen: true });
  const before = clock.pending;
  const ended = once(client.resume(), 'end');
  client.write(ask('Impersonate-User: root'));
  await ended;
  await vi.waitFor(() => expect(clock.pending).toBe(before));
  await clock.advance(5_000);
  // A client notices the reset when it writes.
  const talking = setInterval(() => client.write('still here'), 5);
  await expect(once(client, 'close')).rejects.toThrow(/EPIPE|ECONNRESET/);
  clearInterval(talking);
});

test('a server that never answers is a 504', async () => {
  const clock = new ManualClock();
  upstream = await ScriptedUpstream.start({ upgrade: () => {} }, { clock, answerTimeoutMs: 1000 });
  const answer = upstream.raw(ask());
  await vi.waitFor(() => expect(upstream.requests).toHaveLength(1));
  await clock.advance(1000);
  expect(await answer).toMatch(/^HTTP\/1.1 504 /);
});

test('a client gets the server’s own refusal', async () => {
  upstream = await ScriptedUpstream.start({
    upgrade(_, socket) {
      const status = '{"kind":"Status","code":403}';
      socket.end(
        `HTTP/1.1 403 Forbidden\r\nContent-Length: ${status.length}\r\nAudit-Id: a\r\n\r\n${status}`,
      );
    },
  });
  const answer = await upstream.raw(ask());
  expect(answer).toMatch(/^HTTP\/1.1 403 Forbidden\r\n/);
  expect(answer).toContain('Audit-Id: a\r\n');
  expect(answer).toMatch(/\{"kind":"Status","code":403\}$/);
});

test.each([
  ['a pod’s token', ['Authorization: Bearer e30.eyJhdWQiOlsidHJpbXRhYi5kZXYiXX0.c2ln'], 403],
  ['impersonation without a credential', ['Impersonate-User: root'], 403],
  ['two credentials', ['Authorization: Bearer a', 'Authorization: Bearer b'], 400],
])('%s is refused before anybody upstream hears of it', async (_, more, code) => {
  await agreeing();
  const answer = await upstream.raw(ask(...more));
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${code} `));
  expect(answer).toContain('"kind":"Status"');
  expect(upstream.requests).toEqual([]);
});

test('a body before the other protocol is refused: it could be a request of its own', async () => {
  await agreeing();
  const bytes = ask('Transfer-Encoding: chunked').replace('Content-Length: 0\r\n', '');
  expect(await upstream.raw(`${bytes}0\r\n\r\n`)).toMatch(/^HTTP\/1.1 400 /);
  expect(upstream.requests).toEqual([]);
});

test('a server that is not there is a 503', async () => {
  await agreeing();
  await upstream.stopUpstream();
  expect(await upstream.raw(ask())).toMatch(/^HTTP\/1.1 503 /);
});
