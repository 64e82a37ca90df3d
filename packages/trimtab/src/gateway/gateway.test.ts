import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ScriptedUpstream } from '../../test/gateway/support/scripted-upstream.ts';

let upstream: ScriptedUpstream;
afterEach(() => upstream?.close());

async function start(...args: Parameters<typeof ScriptedUpstream.start>): Promise<void> {
  upstream = await ScriptedUpstream.start(...args);
}

async function ask(path: string, options: RequestInit = {}) {
  const response = await fetch(`${upstream.url}${path}`, options);
  const text = await response.text();
  return { code: response.status, headers: response.headers, text };
}

/** Claims the gateway's audience, with a made-up signature. */
const podToken = `e30.${Buffer.from('{"aud":["trimtab.dev"]}').toString('base64url')}.c2ln`;
const asPod = { headers: { authorization: `Bearer ${podToken}` } };
const ofFoo = '/api/v1/namespaces/a/configmaps/foo';
const current = `${ofFoo}/1.0.0`;

describe('limits', () => {
  test('who asks too often gets a 429 with a Status, and the others are served', async () => {
    // The flag of the program takes whole numbers, and one request per second would make the test depend on the time.
    await start({}, { limits: { requestsPerSecond: 0.001, burst: 2 }, inThisProcess: true });
    const mine = { headers: { authorization: 'Bearer mine' } };
    expect([(await ask('/a', mine)).code, (await ask('/b', mine)).code]).toEqual([200, 200]);
    const { code, headers, text } = await ask('/c', mine);
    expect([code, JSON.parse(text).reason]).toEqual([429, 'TooManyRequests']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask('/d', { headers: { authorization: 'Bearer theirs' } })).code).toBe(200);
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/a', '/b', '/d']);
  });

  test('a token with many groups passes; headers without end do not', async () => {
    await start({});
    expect((await ask('/', { headers: { authorization: `Bearer ${'x'.repeat(15_000)}` } })).code).toBe(200);
    const long = `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(70_000)}\r\n\r\n`;
    const answer = await upstream.raw(long);
    expect(answer).toMatch(/^HTTP\/1.1 431 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      ...{ kind: 'Status', status: 'Failure', code: 431, reason: 'RequestHeaderFieldsTooLarge' },
      message: 'the request has too many headers, or its request line and headers exceed 65536 bytes',
    });
    expect(upstream.requests).toHaveLength(1);
  });

  test.each([
    ['no host', 'GET / HTTP/1.1\r\n\r\n', 'the request has no Host header'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'the request is not valid HTTP/1.1'],
    ['no request', 'hello\r\n\r\n', 'the request is not valid HTTP/1.1'],
  ])('%s is answered with a Status', async (_, bytes, message) => {
    await start({});
    const answer = await upstream.raw(bytes);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      ...{ kind: 'Status', apiVersion: 'v1', code: 400, reason: 'BadRequest' },
      message: expect.stringContaining(message),
    });
  });

  test('CONNECT is answered with a Status that names the methods', async () => {
    await start({});
    const answer = await upstream.raw('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 405 Method Not Allowed\r\nallow: GET, HEAD, POST/);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      ...{ kind: 'Status', apiVersion: 'v1', code: 405, reason: 'MethodNotAllowed' },
    });
    expect(upstream.requests).toEqual([]);
  });

  test('pages of other origins are not let in, and read nothing', async () => {
    await start({
      answer: (_, response) => void response.setHeader('access-control-allow-origin', '*').end(),
    });
    const headers = { origin: 'http://evil.example', 'access-control-request-method': 'GET' };
    const preflight = await ask('/', { method: 'OPTIONS', headers });
    expect([preflight.code, preflight.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    const plain = await ask('/', { headers: { origin: 'http://evil.example' } });
    expect([plain.code, plain.headers.get('access-control-allow-origin')]).toEqual([200, null]);
  });
});

describe('a refusal', () => {
  const last = 'GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  /** Refused before the body is read. */
  const head = (...more: string[]) =>
    ['POST /first HTTP/1.1', 'Host: x', 'Impersonate-User: root', ...more, '', ''].join('\r\n');
  const codes = (answer: string) => answer.match(/(?<=HTTP\/1.1 )\d+/g);

  test.each([
    ['without a body', head()],
    ['with an empty body', head('Content-Length: 0')],
    ['with a small body', `${head('Content-Length: 60000')}${'x'.repeat(60_000)}`],
  ])('of a request %s keeps the connection', async (_, bytes) => {
    await start({});
    const answer = await upstream.raw(bytes + last);
    expect(codes(answer)).toEqual(['403', '200']);
    expect(answer.slice(0, answer.indexOf('{'))).not.toMatch(/^connection: close/im);
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/last']);
  });

  test('of too many requests keeps it as well', async () => {
    await start({}, { limits: { requestsPerSecond: 0.001, burst: 1 }, inThisProcess: true });
    const mine = 'GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer mine\r\n\r\n';
    expect(codes(await upstream.raw(mine + mine + last))).toEqual(['200', '429', '200']);
  });

  test.each([
    ['a large body', head('Content-Length: 70000')],
    ['a body of unknown length', head('Transfer-Encoding: chunked')],
    ['a body, if it is not valid', head('Connection: x', 'Content-Length: 5')],
  ])('of a request with %s ends it', async (_, bytes) => {
    await start({});
    const answer = await upstream.raw(bytes);
    expect(codes(answer)).toHaveLength(1);
    expect(answer).toMatch(/^HTTP\/1.1 40[03] /);
    expect(answer).toMatch(/^connection: close/im);
  });
});

describe('behind a load balancer', () => {
  const balancer = { trustedProxies: ['127.0.0.1', '10.0.0.0/8'] };
  const from = (address: string, more: Record<string, string> = {}) => ({
    headers: { 'x-forwarded-for': address, ...more },
  });
  const seen = () => upstream.requests.map(({ headers }) => headers['x-forwarded-for']);

  test('the API server is told the client, on routes of ours as well', async () => {
    await start({ answer: (_, response) => void response.writeHead(404).end() }, balancer);
    for (const path of ['/a', current]) {
      await ask(path, from('1.1.1.1, 198.51.100.7, 10.1.2.3', { authorization: 'Bearer mine' }));
      expect(new Set(seen())).toEqual(new Set(['198.51.100.7']));
    }
  });

  test('what a client claims is ignored without one, and on routes of ours as well', async () => {
    await start({ answer: (_, response) => void response.writeHead(404).end() });
    for (const path of ['/a', current]) {
      await ask(path, from('198.51.100.7', { authorization: 'Bearer mine' }));
      expect(new Set(seen())).toEqual(new Set(['127.0.0.1']));
    }
  });

  test('`trimtab proxy` names the client as well', async () => {
    await start({ answer: (_, response) => void response.writeHead(404).end() }, { mode: 'proxy' });
    await ask(current);
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toContain('Bearer ours');
    expect(new Set(seen())).toEqual(new Set(['127.0.0.1']));
  });

  test('limits are by client', async () => {
    // The flag of the program takes whole numbers, and one request per second would make the test depend on the time.
    await start({}, { ...balancer, limits: { requestsPerSecond: 0.001, burst: 1 }, inThisProcess: true });
    const codes = async (address: string) => {
      const answers = [];
      for (let n = 0; n < 5; n++) answers.push((await ask('/', from(address))).code);
      return answers;
    };
    expect(await codes('198.51.100.7')).toEqual([200, 200, 200, 200, 429]);
    expect(await codes('198.51.100.8')).toEqual([200, 200, 200, 200, 429]);
    expect(await codes('1.1.1.1, 198.51.100.7')).toEqual([429, 429, 429, 429, 429]);
  });
});

describe('a pod', () => {
  test('passes nowhere: its token is not even shown to the API server', async () => {
    await start({});
    for (const path of ['/api/v1/pods', '/', '/api/v1/namespaces/a/configmaps/foo']) {
      const { code, text } = await ask(path, asPod);
      expect([code, JSON.parse(text).message]).toEqual([
        403,
        expect.stringContaining('a pod token may only read'),
      ]);
    }
    expect(upstream.requests).toEqual([]);
  });

  test('is nobody until the cluster says who: it is asked with the gateway’s own identity', async () => {
    const review = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      status: { authenticated: false },
    };
    await start({
      answer: (_, response) => {
        response.setHeader('content-type', 'application/json').end(JSON.stringify(review));
      },
    });
    expect((await ask(`${ofFoo}/current`, asPod)).code).toBe(401);
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/apis/authentication.k8s.io/v1/tokenreviews']);
    expect(upstream.requests[0]?.headers.authorization).not.toContain(podToken);
  });
});

describe('an identity of our own', () => {
  test('is lent to nobody who has a credential, or none', async () => {
    await start({});
    await ask('/', { headers: { authorization: 'Bearer mine', 'impersonate-user': 'bob' } });
    await ask('/');
    const seen = upstream.requests.map(({ headers }) => [headers.authorization, headers['impersonate-user']]);
    expect(seen).toEqual([
      ['Bearer mine', 'bob'],
      [undefined, undefined],
    ]);
  });

  test('cannot be had for asking to be somebody else', async () => {
    await start({});
    expect((await ask('/', { headers: { 'impersonate-user': 'root' } })).code).toBe(403);
    expect((await ask(current, { headers: { 'impersonate-group': 'system:masters' } })).code).toBe(403);
    expect(upstream.requests).toEqual([]);
  });

  test.each([
    ['a request', 'GET /api/v1/pods HTTP/1.1', 'close'],
    ['a route of ours', `GET ${current} HTTP/1.1`, 'close'],
    ['an upgrade', 'GET /api/v1/namespaces/a/pods/b/exec HTTP/1.1', 'Upgrade'],
  ])(
    'of a caller who acts for somebody else is not used because %s drops the header',
    async (_, line, option) => {
      await start({});
      const head = ['Host: x', 'Authorization: Bearer mine', 'Impersonate-User: bob', 'Upgrade: websocket'];
      const bytes = [line, ...head, `Connection: ${option}, Impersonate-User`, '', ''].join('\r\n');
      const last = 'GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
      const answer = await upstream.raw(bytes + last);
      expect(answer).toMatch(/^HTTP\/1.1 400 /);
      expect(answer).toContain('the Connection header must not name \\"impersonate-user\\"');
      expect(upstream.requests.filter(({ url }) => url !== '/last')).toEqual([]);
    },
  );

  test('a route of ours asks with the impersonation that came with the credential', async () => {
    await start({ answer: (_, response) => void response.writeHead(404).end() });
    const headers = new Headers({ authorization: 'Bearer mine', 'impersonate-user': 'bob' });
    await ask(current, { headers });
    expect(upstream.requests.length).toBeGreaterThan(0);
    for (const { headers: seen } of upstream.requests)
      expect([seen.authorization, seen['impersonate-user']]).toEqual(['Bearer mine', 'bob']);
  });

  test('is everybody’s on a laptop, whatever they send', async () => {
    await start({}, { mode: 'proxy' });
    expect((await ask('/', { headers: { authorization: 'Bearer made-up' } })).code).toBe(200);
    expect(upstream.requests[0]?.headers.authorization).toBe('Bearer ours');
  });
});

test('API calls without a response are counted by the route that made them, each once', async () => {
  await start({});
  await upstream.stopUpstream();
  try {
    expect((await ask(current, { headers: { authorization: 'Bearer mine' } })).code).toBe(503);
    expect((await ask(`${ofFoo}/current`, asPod)).code).toBe(503);
    expect((await ask('/a')).code).toBe(503);
    const counted = (await upstream.gateway.metrics()).match(/^trimtab_gateway_upstream_errors_total.*/gm);
    expect(counted?.sort()).toEqual(
      ['pass-through', 'readConfigMapVersion', 'readCurrentConfigMap'].map(
        (route) => `trimtab_gateway_upstream_errors_total{code="ECONNREFUSED",route="${route}"} 1`,
      ),
    );
  } finally {
    await upstream.startUpstream();
  }
});

test('requests are counted by route, method and code, and odd ones make no new series', async () => {
  await start({ answer: (_, response) => void response.writeHead(404).end() });
  await ask('/api/v1/pods', { method: 'DELETE' });
  await ask(current);
  await upstream.raw('PURGE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  // A response is counted when it is closed, which may be after the client has received it.
  await vi.waitFor(async () => {
    const text = await upstream.gateway.metrics();
    expect(text).toContain(
      'trimtab_gateway_requests_total{route="pass-through",method="DELETE",code="404"} 1',
    );
    expect(text).toContain(
      'trimtab_gateway_requests_total{route="readConfigMapVersion",method="GET",code="404"} 1',
    );
    expect(text).toContain('trimtab_gateway_requests_total{route="refused",method="other",code="405"} 1');
  });
});

test.each(['configmaps/foo', 'secrets/bar', 'secrets'])(
  'a purge of %s, without the slash, reaches no API server',
  async (path) => {
    await start({});
    const { code, text } = await ask(`/api/v1/namespaces/a/${path}?purge=true`, { method: 'DELETE' });
    expect([code, JSON.parse(text).reason]).toEqual([400, 'BadRequest']);
    expect(upstream.requests).toEqual([]);
  },
);

test('forged pod tokens, whose reviews take long, delay neither a pod nor what the gateway reads for it', async () => {
  const tokenOf = (text: string) =>
    `e30.${Buffer.from(`{"aud":"trimtab.dev","sub":"${text}"}`).toString('base64url')}.c2ln`;
  const genuine = tokenOf('pod');
  await start(
    {
      answer: async (request, response) => {
        response.setHeader('content-type', 'application/json');
        if (request.method !== 'POST') {
          const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 };
          response.writeHead(404).end(JSON.stringify(body));
          return;
        }
        let text = '';
        for await (const part of request) text += part;
        // The reviews of all other tokens stay without an answer.
        if (JSON.parse(text).spec.token !== genuine) return;
        const extra = {
          'authentication.kubernetes.io/pod-name': ['web-1'],
          'authentication.kubernetes.io/pod-uid': ['u-1'],
        };
        const user = { username: 'system:serviceaccount:a:default', extra };
        const status = { authenticated: true, audiences: ['trimtab.dev'], user };
        response.end(JSON.stringify({ kind: 'TokenReview', status }));
      },
    },
    { trustedProxies: ['127.0.0.1'] },
  );
  const read = (token: string, address: string, signal?: AbortSignal) =>
    ask(`${ofFoo}/current`, {
      headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': address },
      ...(signal && { signal }),
    });
  const leaving = new AbortController();
  const forged = Array.from({ length: 100 }, (_, n) =>
    read(tokenOf(`forged-${n}`), '203.0.113.9', leaving.signal).catch(() => undefined),
  );
  const reviews = () => upstream.requests.filter(({ url }) => url?.endsWith('/tokenreviews'));
  await vi.waitFor(() => expect(reviews()).toHaveLength(8));
  const waiting = async () =>
    /^trimtab_gateway_token_reviews_waiting .*/m.exec(await upstream.gateway.metrics())?.[0];
  await vi.waitFor(async () => expect(await waiting()).toBe('trimtab_gateway_token_reviews_waiting 92'));
  const pod = read(genuine, '10.0.0.7', leaving.signal).catch(() => undefined);
  // The token of the pod is accepted, and the gateway reads what the pod may see.
  await vi.waitFor(() => expect(reviews()).toHaveLength(9));
  await vi.waitFor(() =>
    expect(upstream.requests.map(({ url }) => url)).toContainEqual(expect.stringMatching('^/api/v1/pods[?]')),
  );
  leaving.abort();
  await Promise.all([...forged, pod]);
  await vi.waitFor(async () => expect(await waiting()).toBe('trimtab_gateway_token_reviews_waiting 0'));
});

describe('a response of 5xx of the API server is counted', () => {
  const failing = (isFailed: (url: string, method: string) => boolean) => ({
    answer: ({ url = '', method = '' }: IncomingMessage, response: ServerResponse) => {
      const code = isFailed(url, method) ? 500 : 404;
      const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code };
      response.setHeader('content-type', 'application/json').writeHead(code).end(JSON.stringify(body));
    },
  });
  const counted = async () =>
    (await upstream.gateway.metrics()).match(/^trimtab_gateway_upstream_errors_total.*/gm)?.sort();
  const mine = { headers: { authorization: 'Bearer mine' } };

  test('by the route that made the call, and not for a proxied request', async () => {
    await start(failing(() => true));
    expect((await ask(current, mine)).code).toBe(500);
    expect((await ask('/a', mine)).code).toBe(500);
    expect((await ask(`${ofFoo}/current`, asPod)).code).toBe(500);
    expect(await counted()).toEqual([
      'trimtab_gateway_upstream_errors_total{code="500",route="readConfigMapVersion"} 1',
      'trimtab_gateway_upstream_errors_total{code="500",route="readCurrentConfigMap"} 1',
    ]);
  });

  test('for the 404 of the API server nothing is counted', async () => {
    await start(failing(() => false));
    expect((await ask(current, mine)).code).toBe(404);
    expect(await counted()).toBeUndefined();
  });
});

test('a request that a route passes on causes no warning about listeners', async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => void warnings.push(name);
  process.on('warning', note);
  try {
    await start({}, { inThisProcess: true });
    const headers = { authorization: 'Bearer mine', 'content-type': 'application/vnd.kubernetes.protobuf' };
    for (const method of ['POST', 'PUT'])
      await ask(`/api/v1/namespaces/a/configmaps${method === 'PUT' ? '/foo' : ''}`, {
        ...{ method, headers, body: 'x'.repeat(100_000) },
      });
    await new Promise((resolve) => void setImmediate(resolve));
  } finally {
    process.off('warning', note);
  }
  expect(warnings).not.toContain('MaxListenersExceededWarning');
});

test.each(['websocket', 'SPDY/3.1'])(
  'an upgrade to %s does not bypass the check of a misplaced purge',
  async (protocol) => {
    await start({});
    const target = '/api/v1/namespaces/a/secrets/bar?purge=true';
    const head = ['Host: x', 'Connection: close, Upgrade', `Upgrade: ${protocol}`, '', ''].join('\r\n');
    const answer = await upstream.raw(`DELETE ${target} HTTP/1.1\r\n${head}`);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('the parameter purge applies to versions');
    expect(upstream.requests).toEqual([]);
  },
);
