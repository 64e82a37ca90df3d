import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type Server,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FaultProxy } from './server.ts';

/** A server that echoes every request and whose watch has three events. */
let upstream: Server;
let writes: string[];
let proxy: FaultProxy;

const event = (name: string) => JSON.stringify({ type: 'ADDED', object: { metadata: { name } } });

beforeEach(async () => {
  writes = [];
  upstream = createServer((incoming, answer) => {
    if (incoming.method !== 'GET') writes.push(`${incoming.method} ${incoming.url}`);
    answer.setHeader('content-type', 'application/json');
    if (incoming.url?.includes('watch=true')) {
      for (const name of ['a', 'b', 'c']) answer.write(`${event(name)}\n`);
      if (!incoming.url.includes('open=true')) answer.end();
      return;
    }
    const { authorization } = incoming.headers;
    incoming.on('data', (chunk) => answer.write(chunk));
    incoming.on('end', () => answer.end(JSON.stringify({ authorization })));
  });
  upstream.on('upgrade', (_incoming, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
    socket.pipe(socket);
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const { port } = upstream.address() as AddressInfo;
  proxy = await FaultProxy.start({
    access: {
      server: `http://127.0.0.1:${port}`,
      namespace: 'default',
      tls: async () => ({}),
      headers: async () => ({ authorization: 'Bearer of-the-proxy' }),
      invalidate() {},
    },
  });
});

afterEach(async () => {
  await proxy.close();
  upstream.closeAllConnections();
  upstream.close();
});

/** The response that a client receives: complete, or up to the point where the connection broke. */
async function call(method: string, path: string, body?: string, headers: OutgoingHttpHeaders = {}) {
  const outgoing = request(`${proxy.url}${path}`, { method, headers, agent: false });
  outgoing.on('error', () => {});
  let text = '';
  let code: number | undefined;
  try {
    outgoing.end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    code = answer.statusCode;
    for await (const chunk of answer.setEncoding('utf8')) text += chunk;
    return { code, text, broken: false };
  } catch {
    return { code, text, broken: true };
  }
}

const names = (text: string) => [...text.matchAll(/"name":"(\w+)"/g)].map((match) => match[1]).join('');
const configMap = '/api/v1/namespaces/ns/configmaps/foo';
const watchPath = '/api/v1/configmaps?watch=true';

describe('without faults', () => {
  test('requests, bodies and watches go through', async () => {
    expect(await call('PUT', configMap, '{"some":"body"}')).toMatchObject({
      code: 200,
      text: expect.stringContaining('{"some":"body"}'),
    });
    expect(names((await call('GET', watchPath)).text)).toBe('abc');
  });

  test("the proxy's identity is used unless the caller brings a token", async () => {
    expect((await call('GET', '/version')).text).toContain('of-the-proxy');
    const own = await call('GET', '/version', undefined, { authorization: 'Bearer my-own' });
    expect(own.text).toContain('my-own');
  });

  test('an upgraded connection carries raw bytes both ways', async () => {
    const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1');
    socket.write(
      'GET /api/v1/namespaces/ns/pods/p/exec HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n',
    );
    const [head] = await once(socket, 'data');
    expect(String(head)).toMatch(/^HTTP\/1.1 101/);
    socket.write('hello');
    const [echo] = await once(socket, 'data');
    expect(String(echo)).toBe('hello');
    const closed = once(socket, 'close');
    await proxy.close();
    await closed;
  });
});

describe('faults of requests', () => {
  test('a status is answered and never forwarded', async () => {
    proxy.inject({ when: { verb: 'update' }, fault: { kind: 'status', code: 409 } });
    expect(await call('PUT', configMap, '{}')).toMatchObject({
      code: 409,
      text: expect.stringContaining('Conflict'),
    });
    expect(writes).toEqual([]);
    expect((await call('PUT', configMap, '{}')).code).toBe(200);
  });

  test('the second write fails before it took effect, the third after', async () => {
    proxy.inject({ when: { verb: 'write', nth: 2 }, fault: { kind: 'fail-before' } });
    proxy.inject({ when: { verb: 'write', nth: 3 }, fault: { kind: 'fail-after' } });
    expect((await call('PUT', `${configMap}1`, '{}')).broken).toBe(false);
    expect((await call('PUT', `${configMap}2`, '{}')).broken).toBe(true);
    expect((await call('PUT', `${configMap}3`, '{}')).broken).toBe(true);
    expect(writes).toEqual([`PUT ${configMap}1`, `PUT ${configMap}3`]);
    proxy.assertFired();
    expect(proxy.describe()).toContain('update configmaps ns/foo3 (server answered 200)');
  });

  test('a stalled write goes on when it is released', async () => {
    const stall = proxy.inject({ when: { verb: 'write' }, fault: { kind: 'stall' } });
    const answer = call('PUT', configMap, '{}');
    await stall.fired;
    expect(writes).toEqual([]);
    proxy.release();
    expect((await answer).code).toBe(200);
    expect(writes).toHaveLength(1);
  });

  test('a write that stalls after its effect has had it', async () => {
    const stall = proxy.inject({ when: { verb: 'write' }, fault: { kind: 'stall', at: 'after' } });
    const answer = call('PUT', configMap, '{}');
    await stall.fired;
    expect(writes).toHaveLength(1);
    proxy.release();
    expect((await answer).code).toBe(200);
  });

  test('a stalled write whose client has died never happens', async () => {
    const stall = proxy.inject({ when: { verb: 'write' }, fault: { kind: 'stall' } });
    const outgoing = request(`${proxy.url}${configMap}`, { method: 'PUT', agent: false });
    outgoing.on('error', () => {});
    outgoing.end('{}');
    await stall.fired;
    const gone = new Promise((resolve) => outgoing.once('close', resolve));
    outgoing.destroy();
    await gone;
    await call('GET', '/version');
    proxy.release();
    await call('GET', '/version');
    expect(writes).toEqual([]);
  });

  test('a write that stands still when the proxy closes never happens', async () => {
    const stall = proxy.inject({ when: { verb: 'write' }, fault: { kind: 'stall' } });
    const answer = call('PUT', configMap, '{}');
    await stall.fired;
    await proxy.close();
    expect((await answer).broken).toBe(true);
    expect(proxy.stalledClients).toBe(0);
    expect(writes).toEqual([]);
  });

  test('a stall ends at its bound with a reset', async () => {
    proxy.inject({ when: {}, fault: { kind: 'stall', boundMs: 5 } });
    expect((await call('GET', configMap)).broken).toBe(true);
  });

  test('a delayed request is answered in the end', async () => {
    proxy.inject({ when: {}, fault: { kind: 'delay', ms: 5 } });
    expect((await call('PUT', configMap, '{}')).code).toBe(200);
    proxy.assertFired();
  });

  test('a server that is gone looks like one', async () => {
    upstream.close();
    upstream.closeAllConnections();
    expect(await call('GET', configMap)).toMatchObject({ code: undefined, broken: true });
    expect(proxy.describe()).toMatch(/not injected: get configmaps ns\/foo: .*ECONNREFUSED/);
  });
});

describe('faults of watches', () => {
  const atB = (fault: Parameters<FaultProxy['inject']>[0]['fault']) =>
    proxy.inject({ when: { name: 'b' }, fault });

  test('a cut in the middle of a line', async () => {
    atB({ kind: 'cut-watch', midLine: true });
    const { text, broken } = await call('GET', watchPath);
    expect(broken).toBe(true);
    expect(text.split('\n')).toHaveLength(2);
    expect(event('b').startsWith(text.split('\n')[1] ?? 'none')).toBe(true);
  });

  test('a silent drop, a drop with a cut, a repeat, a new order', async () => {
    atB({ kind: 'drop-event' });
    expect(names((await call('GET', watchPath)).text)).toBe('ac');
    atB({ kind: 'drop-event', thenCut: true });
    expect(await call('GET', watchPath)).toMatchObject({ broken: true });
    atB({ kind: 'repeat-event' });
    expect(names((await call('GET', watchPath)).text)).toBe('abbc');
    atB({ kind: 'reorder-event' });
    expect(names((await call('GET', watchPath)).text)).toBe('acb');
    proxy.assertFired();
  });

  test('an event without a successor is not held for ever', async () => {
    proxy.inject({ when: { name: 'c' }, fault: { kind: 'reorder-event' } });
    const outgoing = request(`${proxy.url}${watchPath}&open=true`, { agent: false }).end();
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of answer.setEncoding('utf8')) {
      text += chunk;
      if (names(text) === 'abc') break;
    }
    expect(proxy.report()[0]?.fired).toEqual([]);
  });

  test('a clean end and an expiry', async () => {
    atB({ kind: 'end-watch' });
    expect(await call('GET', watchPath)).toMatchObject({
      broken: false,
      text: `${event('a')}\n${event('b')}\n`,
    });
    atB({ kind: 'expire-watch' });
    const { text, broken } = await call('GET', watchPath);
    expect(broken).toBe(false);
    expect(JSON.parse(text.split('\n')[1] ?? '')).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  });

  test('a stalled watch goes on when it is released, and loses nothing', async () => {
    const stall = atB({ kind: 'stall-watch' });
    const watching = call('GET', watchPath);
    await stall.fired;
    proxy.release();
    expect(names((await watching).text)).toBe('abc');
  });

  test.each(['cut', 'end', 'expire'] as const)('a quiet watch breaks on command: %s', async (how) => {
    const outgoing = request(`${proxy.url}${watchPath}&open=true`, { agent: false }).end();
    outgoing.on('error', () => {});
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    let text = '';
    answer.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    const ending = new Promise((resolve) => {
      answer.once('end', () => resolve('end'));
      answer.once('error', () => resolve('cut'));
    });
    expect(await proxy.breakWatches(how, { resource: 'secrets' })).toBe(0);
    expect(await proxy.breakWatches(how, { resource: 'configmaps' })).toBe(1);
    expect(await ending).toBe(how === 'cut' ? 'cut' : 'end');
    expect(text.includes('"code":410')).toBe(how === 'expire');
  });
});

test('another process commands the proxy over its control path', async () => {
  const rule = { when: { verb: 'get' }, fault: { kind: 'status', code: 503 } };
  expect(await call('POST', '/fault-proxy/rules', JSON.stringify(rule))).toMatchObject({ text: '{"id":1}' });
  expect((await call('GET', configMap)).code).toBe(503);
  expect((await call('GET', '/fault-proxy/rules')).text).toContain('"fired":["get configmaps ns/foo"]');
  await call('POST', '/fault-proxy/rules', JSON.stringify(rule));
  await call('DELETE', '/fault-proxy/rules/2');
  expect((await call('GET', configMap)).code).toBe(200);
  expect((await call('POST', '/fault-proxy/watches', '{"how":"cut"}')).text).toBe('{"broken":0}');
  expect((await call('GET', '/fault-proxy/nonsense')).code).toBe(400);
  const typo = await call('POST', '/fault-proxy/rules', '{"when":{},"fault":{"kind":"fial-before"}}');
  expect(typo).toMatchObject({ code: 400, text: expect.stringContaining("unknown fault 'fial-before'") });
});
