import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ScriptedUpstream } from '../../test/gateway/support/scripted-upstream.ts';
import { Turns } from './limits/turns.ts';

let upstream: ScriptedUpstream;
afterEach(() => upstream?.close());

const collection = '/api/v1/namespaces/a/configmaps';
const diff = '/apis/trimtab.dev/v1alpha1/namespaces/a/configmaps/foo/versions/1/diff/2';
const reviewPath = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

/** Knows the tokens that begin with "good", and answers all other requests with 404. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const { authorization = '' } = request.headers;
  const [, user = ''] = authorization.split(' ');
  response.setHeader('content-type', 'application/json');
  if (!user.startsWith('good')) {
    response.writeHead(401).end(JSON.stringify(status(401, 'Unauthorized', 'Unauthorized')));
    return;
  }
  if (request.url !== reviewPath) response.writeHead(404).end(JSON.stringify(status(404, 'NotFound', 'no')));
  else response.end(JSON.stringify({ kind: 'SelfSubjectReview', status: { userInfo: { username: user } } }));
}

function status(code: number, reason: string, message: string): object {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message };
}

async function start(...[script, options]: Parameters<typeof ScriptedUpstream.start>): Promise<void> {
  upstream = await ScriptedUpstream.start({ answer, ...script }, options);
}

function head(method: string, path: string, length: number, authorization?: string): string {
  const own = authorization === undefined ? [] : [`Authorization: ${authorization}`];
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: x', ...own, `Content-Length: ${length}`];
  return `${[...lines, 'Content-Type: application/yaml'].join('\r\n')}\r\n\r\n`;
}

async function ask(path: string, token: string, options: RequestInit = {}) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${upstream.url}${path}`, { headers, ...options });
  return { code: response.status, text: await response.text() };
}

describe('who asks is known before a body is read', () => {
  test.each([
    ['POST', collection],
    ['POST', `${collection}/1.0.0`],
    ['POST', `${collection}/foo/1.0.0`],
    ['DELETE', `${collection}/foo/1.0.0`],
    ['DELETE', `${collection}/foo/`],
    ['PUT', `${collection}/foo/current`],
    ['POST', `${collection}/foo/current/ack`],
    ['POST', '/apis/apps/v1/namespaces/a/deployments'],
    ['PATCH', '/api/v1/namespaces/a/pods/web'],
  ])(
    '%s %s: a refused credential gets the API server’s answer without a byte of the body',
    async (method, path) => {
      await start({});
      // The connection is closed when the client closes it: nothing of the body has been sent.
      const socket = await upstream.connect();
      let text = '';
      socket.on('data', (part) => {
        text += part;
      });
      socket.write(head(method, path, 3_000_000, 'Bearer bad'));
      await vi.waitFor(() => expect(text).toContain('"code":401'));
      expect(text).toMatch(/^HTTP\/1.1 401 /);
      expect(text.toLowerCase()).toContain('connection: close');
      expect(upstream.requests.map(({ url }) => url)).toEqual([reviewPath]);
      socket.destroy();
    },
  );

  test.each([
    ['POST', collection],
    ['POST', `${collection}/1.0.0`],
    ['POST', `${collection}/foo/1.0.0`],
    ['DELETE', `${collection}/foo/1.0.0`],
    ['DELETE', `${collection}/foo/`],
    ['PUT', `${collection}/foo`],
    ['PATCH', `${collection}/foo`],
    ['PUT', `${collection}/foo/current`],
    ['POST', '/api/v1/namespaces/a/pods'],
    ['PATCH', '/apis/apps/v1/namespaces/a/deployments/web'],
  ])('%s %s: a pod is refused without a byte of the body', async (method, path) => {
    const token = `e30.${Buffer.from('{"aud":["trimtab.dev"]}').toString('base64url')}.c2ln`;
    const pod = { 'pod-name': ['web'], 'pod-uid': ['u'] };
    const extra = Object.entries(pod).map(([key, value]) => [`authentication.kubernetes.io/${key}`, value]);
    const user = { username: 'system:serviceaccount:a:default', extra: Object.fromEntries(extra) };
    const review = { status: { authenticated: true, audiences: ['trimtab.dev'], user } };
    await start({
      answer: (_, response) => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(review));
      },
    });
    const socket = await upstream.connect();
    let text = '';
    socket.on('data', (part) => {
      text += part;
    });
    socket.write(head(method, path, 3_000_000, `Bearer ${token}`));
    await vi.waitFor(() => expect(text).toContain('a pod token may only read the current version'));
    expect(text).toMatch(/^HTTP\/1.1 403 /);
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/apis/authentication.k8s.io/v1/tokenreviews']);
    socket.destroy();
  });

  test('a client that goes on sending gets the answer', async () => {
    await start({});
    const body = Buffer.alloc(3_000_000, 'x').toString();
    const text = await upstream.raw(head('POST', `${collection}/foo/1`, body.length, 'Bearer bad') + body);
    expect(text).toMatch(/^HTTP\/1.1 401 /);
  });

  test('a client that goes on sending gets the answer of the API server to a request that is passed unread', async () => {
    await start({
      answer: (_, response) => void response.writeHead(401, { 'content-length': 2 }).end('{}'),
    });
    const body = Buffer.alloc(8_000_000, 'x').toString();
    const text = await upstream.raw(head('POST', collection, body.length) + body);
    expect(text).toMatch(/^HTTP\/1.1 401 /);
  });

  test('a burst of one caller costs one review', async () => {
    await start({});
    const post = () => ask(`${collection}/foo/1`, 'good', { method: 'POST', body: '{}' });
    await Promise.all(Array.from({ length: 20 }, post));
    expect(upstream.requests.filter(({ url }) => url === reviewPath)).toHaveLength(1);
  });

  test('an API server that cannot be reached is no refusal, and nothing is cached', async () => {
    await start({});
    await upstream.stopUpstream();
    const post = () => ask(`${collection}/foo/1`, 'good', { method: 'POST', body: '[]' });
    expect((await post()).code).toBe(503);
    await upstream.startUpstream();
    expect((await post()).code).toBe(400);
  });

  test('without credentials, a request that may be passed on is passed unread', async () => {
    await start({});
    const socket = await upstream.connect();
    socket.write(`${head('POST', collection, 1_000, undefined)}metadata: {version: v1}\n`);
    const [text] = (await once(socket, 'data')) as [string];
    expect(text).toMatch(/^HTTP\/1.1 401 /);
    expect(upstream.requests.map(({ url }) => url)).toEqual([collection]);
    socket.destroy();
  });

  test('without credentials, the other routes give the API server’s refusal', async () => {
    await start({});
    const socket = await upstream.connect();
    socket.write(head('PUT', `${collection}/foo/current`, 1_000, undefined));
    const [text] = (await once(socket, 'data')) as [string];
    expect(text).toMatch(/^HTTP\/1.1 401 /);
    expect(upstream.requests.map(({ url }) => url)).toEqual([reviewPath]);
    socket.destroy();
  });

  test('without credentials, the API server decides about a read', async () => {
    await start({});
    const response = await fetch(`${upstream.url}${diff}`);
    expect(response.status).toBe(401);
    expect(upstream.requests.map(({ url }) => url)).not.toContain(reviewPath);
  });

  test('the user of `trimtab proxy` is known', async () => {
    await start({ answer: (_, response) => void response.writeHead(404).end() }, { mode: 'proxy' });
    const body = '{"version": "1.0.0"}';
    const { code } = await ask(`${collection}/foo/current`, 'x', { method: 'PUT', body });
    expect(code).toBe(404);
    expect(upstream.requests.map(({ url }) => url)).not.toContain(reviewPath);
  });
});

async function bufferedBytes(): Promise<number> {
  const metrics = await upstream.gateway.metrics();
  return Number(/^trimtab_gateway_buffered_body_bytes (\d+)/m.exec(metrics)?.[1]);
}

describe('memory for bodies', () => {
  test('a body that stops coming is refused, and its connection is closed', async () => {
    const clock = new ManualClock();
    await start({}, { clock });
    const socket = await upstream.connect();
    let text = '';
    socket.on('data', (part) => {
      text += part;
    });
    socket.write(`${head('POST', `${collection}/foo/1`, 3_000_000, 'Bearer good')}${'x'.repeat(100_000)}`);
    await vi.waitFor(async () => expect(await bufferedBytes()).toBeGreaterThanOrEqual(100_000));
    await clock.advance(10_000);
    await vi.waitFor(() => expect(text).toContain('"reason":"RequestTimeout"'));
    expect(text).toMatch(/^HTTP\/1.1 408 /);
    expect(await bufferedBytes()).toBe(0);
    socket.destroy();
  });

  test('a body that is not read stays with its client', async () => {
    const held: ServerResponse[] = [];
    await start({
      answer: (request, response) => {
        if (request.headers.authorization === 'Bearer unknown') held.push(response);
        else answer(request, response);
      },
    });
    const socket = await upstream.connect();
    const length = 64_000_000;
    socket.write(head('POST', collection, length, 'Bearer unknown'));
    socket.write(Buffer.alloc(length));
    await vi.waitFor(() => expect(held).toHaveLength(1));
    // As long as the gateway takes anything from the connection, it goes on.
    for (let before = -1; before !== socket.writableLength; ) {
      before = socket.writableLength;
      for (let request = 0; request < 20; request++) await ask('/', 'good');
    }
    expect(socket.writableLength).toBeGreaterThan(length / 2);
    socket.destroy();
  });

  test('one caller cannot fill the memory with unfinished bodies; another one is served', async () => {
    await start({});
    const part = 'x'.repeat(2_900_000);
    const answers: string[] = [];
    const sockets = [];
    for (let n = 0; n < 20; n++) {
      const socket = await upstream.connect();
      sockets.push(socket.on('data', (text) => void answers.push(String(text))));
      socket.write(head('POST', `${collection}/foo/1`, 3_000_000, 'Bearer good') + part);
    }
    await vi.waitFor(
      () => expect(answers.filter((text) => text.startsWith('HTTP/1.1 429 '))).toHaveLength(15),
      {
        timeout: 10_000,
      },
    );
    expect(await bufferedBytes()).toBeLessThanOrEqual(16 * 1024 * 1024);
    const { code } = await ask(`${collection}/foo/1`, 'good-other', { method: 'POST', body: '[]' });
    expect(code).toBe(400);
    for (const socket of sockets) socket.destroy();
  });
});

describe('connections and requests in flight', () => {
  const load = {
    ...{ maxConnections: 100, maxConnectionsPerAddress: 100, maxUnusedConnections: 100 },
    ...{ maxRequestsInFlight: 100, maxStreams: 100 },
  };

  test('a surplus connection of an address is closed at once', async () => {
    await start({}, { load: { ...load, maxConnectionsPerAddress: 2 } });
    const open = [await upstream.connect(), await upstream.connect()];
    const surplus = await upstream.connect();
    await once(surplus, 'close');
    expect(await upstream.gateway.metrics()).toContain(
      'trimtab_gateway_connections_refused_total{limit="address"} 1',
    );
    const [first] = open;
    first?.destroy();
    await vi.waitFor(async () => expect((await ask('/', 'good')).code).toBe(404));
    for (const socket of open) socket.destroy();
  });

  test('a caller with too many requests in progress is told to retry; streams are not counted', async () => {
    const waiting: ServerResponse[] = [];
    await start(
      {
        answer: (request, response) => {
          if (request.url === '/slow') waiting.push(response);
          else if (request.url?.includes('watch')) response.write('{}\n');
          else response.end('{}');
        },
      },
      { load: { ...load, maxRequestsInFlight: 8 } },
    );
    const aborted = new AbortController();
    const { signal } = aborted;
    const headers = { authorization: 'Bearer good' };
    const streams = await Promise.all(
      Array.from({ length: 20 }, () => fetch(`${upstream.url}/api/v1/pods?watch=true`, { headers, signal })),
    );
    const slow = [ask('/slow', 'good'), ask('/slow', 'good')];
    await vi.waitFor(() => expect(waiting).toHaveLength(2));
    expect((await ask('/', 'good')).code).toBe(429);
    expect((await ask('/', 'good-other')).code).toBe(200);
    for (const response of waiting) response.end();
    await Promise.all(slow);
    await vi.waitFor(async () => expect((await ask('/', 'good')).code).toBe(200));
    expect(streams).toHaveLength(20);
    aborted.abort();
  });

  test.each([
    ['a version', `${collection}/foo/1.0.0?watch=true`],
    ['a watch that is off', `${collection}/foo/current?watch=0`],
    ['the HEAD of a watch', `${collection}/foo/current?watch=1`, 'HEAD'],
    ['a comparison', `${diff}?watch=true`],
    ['one object', '/api/v1/namespaces/a/pods/b?watch=true'],
    ['a list with follow', '/api/v1/pods?follow=true'],
    ['a path without a resource', '/version?watch=true'],
    ['a write', '/api/v1/namespaces/a/pods?watch=true', 'POST'],
  ])('%s counts as a request in progress, whatever its query says', async (_, path, method = 'GET') => {
    await start({ answer: () => {} }, { load: { ...load, maxRequestsInFlight: 4 } });
    const left = new AbortController();
    const headers = { authorization: 'Bearer good' };
    const held = fetch(`${upstream.url}${path}`, { method, headers, signal: left.signal });
    await vi.waitFor(() => expect(upstream.requests.length).toBeGreaterThan(0));
    expect((await ask('/', 'good')).code).toBe(429);
    left.abort();
    await Promise.allSettled([held]);
  });

  test('a caller with too many streams is told so, and another one gets a stream', async () => {
    await start(
      {
        answer: (request, response) => {
          if (request.url?.includes('watch')) response.write('{}\n');
          else response.end('{}');
        },
      },
      { load: { ...load, maxStreams: 8 } },
    );
    const left = new AbortController();
    const watch = (token: string, path = '/api/v1/pods?watch=true') =>
      fetch(`${upstream.url}${path}`, {
        headers: { authorization: `Bearer ${token}` },
        signal: left.signal,
      });
    const first = await Promise.all([watch('good'), watch('good', '/api/v1/watch/pods')]);
    expect(first.map((response) => response.status)).toEqual([200, 200]);
    const refused = await watch('good');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await refused.json()).toMatchObject({ reason: 'TooManyRequests' });
    const exec = await upstream.raw(
      [
        'POST /api/v1/namespaces/a/pods/b/exec HTTP/1.1',
        ...['Host: x', 'Authorization: Bearer good', 'Connection: Upgrade', 'Upgrade: SPDY/3.1'],
        ...['Content-Length: 0', '', ''],
      ].join('\r\n'),
    );
    expect(exec).toMatch(/^HTTP\/1.1 429 /);
    expect((await watch('good-other')).status).toBe(200);
    expect((await ask('/', 'good')).code).toBe(200);
    left.abort();
    await vi.waitFor(async () =>
      expect(await upstream.gateway.metrics()).toContain('trimtab_gateway_streams_in_progress 0'),
    );
  });
});

describe('an answer that its client does not read', () => {
  const load = {
    ...{ maxConnections: 100, maxConnectionsPerAddress: 100, maxUnusedConnections: 100 },
    ...{ maxRequestsInFlight: 4, maxStreams: 100 },
  };
  // More than the buffers of both ends of a connection hold.
  const large = Buffer.alloc(32 * 1024 * 1024, 'x');

  /** Sends a request, and reads no more than the beginning of its answer. */
  async function unread(path: string) {
    const socket = await upstream.connect();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n\r\n`);
    await once(socket, 'data');
    return socket.pause();
  }

  const inFlight = async () =>
    /^trimtab_gateway_requests_in_flight (\d+)/m.exec(await upstream.gateway.metrics())?.[1];

  test('is broken off, and another request of its caller is served', async () => {
    const clock = new ManualClock();
    await start(
      {
        answer: ({ url }, response) => void response.end(url === '/large' ? large : '{}'),
      },
      { clock, load },
    );
    const socket = await unread('/large');
    expect((await ask('/', 'good')).code).toBe(429);
    await clock.advance(20_000);
    expect(await inFlight()).toBe('1');
    await vi.waitFor(async () => {
      await clock.advance(10_000);
      expect(await inFlight()).toBe('0');
    });
    expect(await upstream.gateway.metrics()).toContain('trimtab_gateway_answers_cut_off_total 1');
    expect((await ask('/', 'good')).code).toBe(200);
    socket.destroy();
  });

  test('goes on while the client reads, however long that takes', async () => {
    const clock = new ManualClock();
    await start({ answer: (_, response) => void response.end(large) }, { clock, load });
    const socket = await unread('/large');
    let length = 0;
    socket.on('data', (part) => {
      length += part.length;
    });
    // Reads on at each check, and stops in between.
    for (let check = 0; length < large.length / 2; check++) {
      const before = length;
      socket.resume();
      await vi.waitFor(() => expect(length).toBeGreaterThan(before + 500_000));
      socket.pause();
      if (check % 5 === 0) await clock.advance(10_000);
    }
    expect(await upstream.gateway.metrics()).toContain('trimtab_gateway_answers_cut_off_total 0');
    socket.destroy();
  });

  test('is not broken off while it is the API server that takes its time', async () => {
    const clock = new ManualClock();
    const held: ServerResponse[] = [];
    await start({ answer: (_, response) => void held.push(response.writeHead(200)) }, { clock, load });
    const answered = ask('/slow', 'good');
    await vi.waitFor(() => expect(held).toHaveLength(1));
    held[0]?.write('a');
    await vi.waitFor(async () => expect(await inFlight()).toBe('1'));
    await clock.advance(60_000);
    held[0]?.end('b');
    expect(await answered).toEqual({ code: 200, text: 'ab' });
  });
});

describe('memory for responses that a client does not read', () => {
  const current = `${collection}/foo/current`;
  // More than the buffers of both ends of a connection hold.
  const config = JSON.stringify({
    metadata: { name: 'foo', namespace: 'a', uid: 'u', resourceVersion: '1' },
    data: { large: 'x'.repeat(12 * 1024 * 1024) },
  });

  async function unread(path: string, authorization = 'Bearer good') {
    const socket = await upstream.connect();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`);
    await once(socket, 'data');
    return socket.pause();
  }

  const held = async () =>
    Number(/^trimtab_gateway_unsent_response_bytes (\d+)/m.exec(await upstream.gateway.metrics())?.[1]);

  test('is limited per caller, and given back when the connection closes', async () => {
    await start({
      answer: (request, response) => {
        if (request.url?.endsWith('/configmaps/foo')) response.end(config);
        else answer(request, response);
      },
    });
    const sockets = [await unread(current), await unread(current)];
    expect(await held()).toBeGreaterThan(2 * config.length);
    const refused = await ask(current, 'good');
    expect([refused.code, JSON.parse(refused.text).reason]).toEqual([429, 'TooManyRequests']);
    expect((await ask(current, 'good-other')).code).toBe(200);
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(async () => expect(await held()).toBe(0));
    expect((await ask(current, 'good')).code).toBe(200);
  });

  test('is limited per caller, however the caller spells its credential', async () => {
    await start({
      answer: (request, response) => {
        if (request.url?.endsWith('/configmaps/foo')) response.end(config);
        else answer(request, response);
      },
    });
    const sockets = [await unread(current, 'Bearer good 1'), await unread(current, 'bearER good 2')];
    expect(await held()).toBeGreaterThan(2 * config.length);
    expect((await ask(current, 'good 3')).code).toBe(429);
    expect((await ask(current, 'good-other')).code).toBe(200);
    for (const socket of sockets) socket.destroy();
  });
});

describe('cheap before expensive', () => {
  const current = `${collection}/foo/current`;

  test('many comparisons of one user delay nobody else', async () => {
    const held: ServerResponse[] = [];
    const isHeld = ({ headers, url }: IncomingMessage) =>
      headers.authorization === 'Bearer good-busy' && url !== reviewPath;
    await start({
      answer: (request, response) => {
        if (isHeld(request)) held.push(response);
        else answer(request, response);
      },
    });
    const left = new AbortController();
    const headers = { authorization: 'Bearer good-busy' };
    const asBusy = (path: string) => fetch(`${upstream.url}${path}`, { headers, signal: left.signal });
    const busy = Array.from({ length: 60 }, () => asBusy(diff));
    await vi.waitFor(async () =>
      expect(await upstream.gateway.metrics()).toContain('trimtab_gateway_expensive_requests_waiting 56'),
    );
    // Four comparisons run, each with a read of both versions. Both kinds of requests of another user end before them.
    const requests = 8;
    await vi.waitFor(() => expect(held).toHaveLength(requests));
    expect((await ask(diff, 'good-other')).code).toBe(404);
    expect((await ask(current, 'good-other')).code).toBe(404);
    expect(held).toHaveLength(requests);
    // A cheap request of the same user does not wait, either.
    const cheap = asBusy(current);
    await vi.waitFor(() => expect(held).toHaveLength(requests + 1));
    left.abort();
    await Promise.allSettled([...busy, cheap]);
    // The clients have left: their requests leave the line, and those in progress end.
    await vi.waitFor(async () =>
      expect(await upstream.gateway.metrics()).toContain('trimtab_gateway_expensive_requests_waiting 0'),
    );
    expect(await upstream.gateway.metrics()).toContain('trimtab_gateway_requests_in_flight 0');
  });

  test.each([
    ['a large response of the API server', 100_000, 1],
    ['a small one', 1_000, 0],
  ])('to parse %s, a read takes as many turns as it should', async (_, length, turns) => {
    const taken = vi.spyOn(Turns.prototype, 'take');
    const live = {
      kind: 'ConfigMap',
      metadata: { namespace: 'a', name: 'foo' },
      data: { a: 'x'.repeat(length) },
    };
    const script: Parameters<typeof start>[0] = {
      answer: (request, response) => {
        if (request.url?.startsWith(`${collection}/foo`) !== true) return answer(request, response);
        response.setHeader('content-type', 'application/json').end(JSON.stringify(live));
      },
    };
    try {
      await start(script, { inThisProcess: true });
      expect((await ask(`${collection}/foo/1.0.0`, 'good-reader')).code).toBe(200);
      expect(taken.mock.calls.map(([caller]) => caller)).toEqual(Array(turns).fill('user good-reader'));
    } finally {
      taken.mockRestore();
    }
  });

  test('users with slow calls of the API server make nobody else wait, for comparisons, plans, bodies or YAML', async () => {
    const held: ServerResponse[] = [];
    await start({
      answer: (request, response) => {
        const { authorization = '' } = request.headers;
        if (authorization.startsWith('Bearer good-slow') && request.url !== reviewPath) held.push(response);
        else answer(request, response);
      },
    });
    const left = new AbortController();
    const slow = Array.from({ length: 40 }, (_, n) =>
      fetch(`${upstream.url}${diff}`, {
        headers: { authorization: `Bearer good-slow-${n % 10}` },
        signal: left.signal,
      }).catch(() => undefined),
    );
    await vi.waitFor(() => expect(held).toHaveLength(80));
    expect((await ask(diff, 'good-other')).code).toBe(404);
    const plan = { method: 'PUT', body: '{"version": "1"}' };
    expect((await ask(`${current}?dryRun=All`, 'good-other', plan)).code).toBe(404);
    const body = `[${' '.repeat(20_000)}]`;
    expect((await ask(`${collection}/foo/1`, 'good-other', { method: 'POST', body })).code).toBe(400);
    const headers = { authorization: 'Bearer good-other', accept: 'application/yaml' };
    expect((await fetch(`${upstream.url}${current}`, { headers })).status).toBe(404);
    left.abort();
    await Promise.allSettled(slow);
  });

  test('beyond its queue a user is told to retry', async () => {
    await start({
      answer: (request, response) => {
        if (request.url === reviewPath) answer(request, response);
      },
    });
    const aborted = new AbortController();
    const headers = { authorization: 'Bearer good' };
    const codes: number[] = [];
    const send = (count: number) => {
      for (let n = 0; n < count; n++)
        fetch(`${upstream.url}${diff}`, { headers, signal: aborted.signal }).then(
          ({ status: code }) => codes.push(code),
          () => {},
        );
    };
    send(4);
    // All run: each reads the ConfigRollout for both versions.
    await vi.waitFor(() => expect(upstream.requests.filter(({ url }) => url !== reviewPath)).toHaveLength(8));
    send(103);
    await vi.waitFor(() => expect(codes).toEqual([429, 429, 429]), { timeout: 10_000 });
    aborted.abort();
    await vi.waitFor(async () =>
      expect(await upstream.gateway.metrics()).toContain('trimtab_gateway_expensive_requests_waiting 0'),
    );
  });
});
