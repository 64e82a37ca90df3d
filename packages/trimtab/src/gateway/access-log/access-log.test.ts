import { createLogger } from '@trimtab/kube/log/log.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ScriptedUpstream } from '../../../test/gateway/support/scripted-upstream.ts';

let upstream: ScriptedUpstream;
let lines: string[];
afterEach(() => upstream?.close());

type Script = Parameters<typeof ScriptedUpstream.start>[0];
type Options = NonNullable<Parameters<typeof ScriptedUpstream.start>[1]>;

async function start(script: Script = {}, options: Options = {}): Promise<void> {
  lines = [];
  const destination = { write: (line: string) => void lines.push(line) };
  // Other messages are off, and the access log does not depend on their level.
  const log = createLogger({ program: 'trimtab-gateway', level: 'fatal', destination });
  const defaults: Options = { log, accessLog: { mode: 'all', sample: 1 }, trustedProxies: ['127.0.0.1'] };
  upstream = await ScriptedUpstream.start(script, { ...defaults, ...options });
}

const entries = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);

async function logged(count: number) {
  // A request is logged when its response is closed, which may be after the client has received it.
  await vi.waitFor(() => expect(lines).toHaveLength(count));
  return entries();
}

const ask = (path: string, options: RequestInit = {}) =>
  fetch(`${upstream.url}${path}`, options).then(async (response) => [response.status, await response.text()]);

const configMaps = '/api/v1/namespaces/a/configmaps';
const id = '3f1c6e0a-0000-4000-8000-00000000c0de';
const reviews: NonNullable<Script['answer']> = ({ url = '' }, response) => {
  const said: Record<string, unknown> = {
    selfsubjectreviews: { userInfo: { username: 'ali\u202ece' } },
    tokenreviews: {
      authenticated: true,
      audiences: ['trimtab.dev'],
      user: {
        username: 'system:serviceaccount:shop:default',
        extra: {
          'authentication.kubernetes.io/pod-name': ['web-1'],
          'authentication.kubernetes.io/pod-uid': ['u-1'],
        },
      },
    },
  };
  const status = said[url.split('/').at(-1) ?? ''];
  response.setHeader('content-type', 'application/json').writeHead(status === undefined ? 404 : 201);
  response.end(JSON.stringify(status === undefined ? {} : { metadata: {}, status }));
};

describe('a line', () => {
  test('says who did what from where, and how it went', async () => {
    await start({ answer: (_, response) => void response.writeHead(201).end('x'.repeat(1000)) });
    await ask(`${configMaps}?dryRun=All&fieldSelector=secret`, {
      method: 'POST',
      body: '{"data":{}}',
      headers: {
        ...{ 'x-forwarded-for': '198.51.100.7', 'user-agent': 'kubectl/v1.36', 'audit-id': id },
        ...{ authorization: 'Bearer mine', 'content-type': 'application/vnd.kubernetes.protobuf' },
      },
    });
    const [line] = await logged(1);
    expect(line).toEqual({
      ...{ level: 'info', program: 'trimtab-gateway', msg: 'request served', time: expect.any(String) },
      ...{ method: 'POST', route: 'createConfigMapWithVersion', path: configMaps, query: 'dryRun=All' },
      ...{ status: 201, ms: expect.any(Number), bytes: expect.any(Number), caller: { is: 'unverified' } },
      ...{ address: '198.51.100.7', userAgent: 'kubectl/v1.36', requestId: id },
    });
    expect(line?.['bytes']).toBeGreaterThan(1000);
    expect(line?.['bytes']).toBeLessThan(2000);
  });

  test('has the ID under which the API server knows the request, on routes of ours as well', async () => {
    await start({ answer: (_, response) => void response.writeHead(404).end() });
    const headers = { authorization: 'Bearer mine', 'audit-id': 'made up' };
    for (const path of ['/a', `${configMaps}/foo/1.0.0`]) await ask(path, { headers });
    const ids = (await logged(2)).map(({ requestId }) => requestId);
    expect(new Set(upstream.requests.map((request) => request.headers['audit-id']))).toEqual(new Set(ids));
    for (const each of ids) expect(each).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each<[who: string, path: string, headers: Record<string, string>, caller: object]>([
    ['nobody', '/a', {}, { is: 'anonymous' }],
    ['a token that only the API server knows', '/a', { authorization: 'Bearer mine' }, { is: 'unverified' }],
    [
      'a person on a route of the gateway',
      `${configMaps}/foo/1.0.1`,
      { authorization: 'Bearer mine', 'x-method': 'GET' },
      { is: 'user', name: 'ali?ce' },
    ],
    [
      'a person whose name was needed',
      `${configMaps}/foo/1.0.1`,
      { authorization: 'Bearer mine' },
      { is: 'user', name: 'ali?ce' },
    ],
    ['a pod', `${configMaps}/foo/current/ack`, { authorization: '' }, { is: 'pod', name: 'shop/web-1' }],
  ])('names %s', async (_, path, headers, caller) => {
    await start({ answer: reviews });
    const podToken = `e30.${Buffer.from('{"aud":["trimtab.dev"]}').toString('base64url')}.c2ln`;
    const sent = headers['authorization'] === '' ? { authorization: `Bearer ${podToken}` } : headers;
    const post = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json', ...sent } };
    await ask(path, headers['x-method'] === 'GET' ? { headers: sent } : post);
    expect((await logged(1))[0]).toMatchObject({ caller });
  });

  test('names a person by what is cached where the request is proxied, and asks once for a while', async () => {
    await start({ answer: reviews });
    const headers = { authorization: 'Bearer mine' };
    for (const path of ['/a', `${configMaps}/foo/1.0.0`, '/a', `${configMaps}/foo/1.0.0`, '/a'])
      await ask(path, { headers });
    const callers = (await logged(5)).map(({ caller }) => caller);
    const alice = { is: 'user', name: 'ali?ce' };
    expect(callers).toEqual([{ is: 'unverified' }, alice, alice, alice, alice]);
    expect(upstream.requests.filter(({ url }) => url?.endsWith('/selfsubjectreviews'))).toHaveLength(1);
  });

  test('names the impersonator as well', async () => {
    const answer: Script['answer'] = (request, response) => {
      const username = request.headers['impersonate-user'] === undefined ? 'alice' : 'carol';
      const isReview = request.url?.endsWith('/selfsubjectreviews') === true;
      response.setHeader('content-type', 'application/json').writeHead(isReview ? 201 : 404);
      response.end(JSON.stringify({ metadata: {}, status: { userInfo: { username } } }));
    };
    await start({ answer });
    const headers = { authorization: 'Bearer mine', 'impersonate-user': 'carol' };
    await ask(`${configMaps}/foo/1.0.0`, { headers });
    await ask('/a', { headers });
    await ask('/a', { headers: { ...headers, 'impersonate-user': 'dave' } });
    const callers = (await logged(3)).map(({ caller }) => caller);
    const carol = { is: 'user', name: 'carol', impersonator: 'alice' };
    expect(callers).toEqual([carol, carol, { is: 'unverified', impersonator: 'alice' }]);
  });

  test('names nobody whom the cluster has refused', async () => {
    const review = { metadata: {}, status: { authenticated: false } };
    const answer: Script['answer'] = (_, response) =>
      void response.setHeader('content-type', 'application/json').end(JSON.stringify(review));
    await start({ answer });
    const claims = Buffer.from('{"aud":["trimtab.dev"],"sub":"system:serviceaccount:a:admin"}');
    const authorization = `Bearer e30.${claims.toString('base64url')}.c2ln`;
    await ask(`${configMaps}/foo/current`, { headers: { authorization } });
    expect(await logged(1)).toMatchObject([{ status: 401, caller: { is: 'unverified' } }]);
  });

  test('is written for refusals, with the route `refused`', async () => {
    await start();
    await ask('/a', { headers: { 'impersonate-user': 'root' } });
    expect(await logged(1)).toMatchObject([{ route: 'refused', status: 403 }]);
  });

  test('has status 499 when the client leaves before the response', async () => {
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    await start({ answer: () => resolve() });
    const leaving = new AbortController();
    const answer = ask('/a', { signal: leaving.signal });
    await reached;
    leaving.abort();
    await expect(answer).rejects.toThrow();
    expect(await logged(1)).toMatchObject([{ status: 499, broken: true }]);
  });

  test('is written for an upgrade when it ends', async () => {
    await start({
      upgrade: (_, socket) =>
        void socket.end('HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    });
    const head = ['GET /exec HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket', '', ''];
    await upstream.raw(head.join('\r\n'));
    expect(await logged(1)).toMatchObject([{ route: 'upgrade', status: 101, path: '/exec' }]);
  });

  test('tells how long a watch was open', async () => {
    const clock = new ManualClock();
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    await start({ answer: (_, response) => void response.write('{}\n', () => resolve()) }, { clock });
    const leaving = new AbortController();
    const { body } = await fetch(`${upstream.url}/api/v1/pods?watch=true`, { signal: leaving.signal });
    await reached;
    await clock.advance(60_000);
    leaving.abort();
    await body?.cancel().catch(() => {});
    expect(await logged(1)).toMatchObject([{ status: 200, ms: 60_000, query: 'watch=true' }]);
  });
});

describe('bytes that are not a valid request', () => {
  const secret = 'hunter2secret';

  test.each([
    ['no HTTP', `${secret}\r\n\r\n`, 400],
    ['no host', `GET /${secret} HTTP/1.1\r\n\r\n`, 400],
    ['a tunnel', `CONNECT ${secret}:443 HTTP/1.1\r\nHost: ${secret}\r\n\r\n`, 405],
    ['an expectation', `GET /${secret} HTTP/1.1\r\nHost: x\r\nExpect: ${secret}\r\n\r\n`, 417],
    ['long headers', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${secret.repeat(6_000)}\r\n\r\n`, 431],
  ])('%s: the answer is logged and counted', async (_, bytes, status) => {
    await start();
    await upstream.raw(bytes);
    const [line] = await logged(1);
    expect(line).toEqual({
      ...{ level: 'info', program: 'trimtab-gateway', time: expect.any(String) },
      ...{ msg: 'request is not valid HTTP', route: 'invalid', status },
      ...{ problem: expect.any(String), address: '127.0.0.1' },
    });
    expect(lines.join('')).not.toContain(secret);
    expect(await upstream.gateway.metrics()).toContain(
      `trimtab_gateway_requests_total{route="invalid",method="other",code="${status}"} 1`,
    );
  });

  test('are not logged when the access log is off', async () => {
    await start({}, { accessLog: { mode: 'off', sample: 1 } });
    await upstream.raw('hello\r\n\r\n');
    expect(lines).toEqual([]);
  });
});

describe('the lines are', () => {
  const codes = async (accessLog: NonNullable<Options['accessLog']>) => {
    await start(
      { answer: ({ url }, response) => void response.writeHead(Number(url?.slice(1))).end() },
      { accessLog },
    );
    for (const code of [200, 404, 204, 503]) await ask(`/${code}`);
    await upstream.close();
    return entries().map(({ status }) => status);
  };

  test('those of failures, if asked', async () => {
    expect(await codes({ mode: 'failures', sample: 1 })).toEqual([404, 503]);
  });

  test('all of failures and a sample of the others, if asked', async () => {
    expect(await codes({ mode: 'all', sample: 1e12 })).toEqual([404, 503]);
  });

  test('none, if asked', async () => {
    expect(await codes({ mode: 'off', sample: 1 })).toEqual([]);
  });
});

describe('whatever a client sends', () => {
  const marker = 'hunter2secret';

  test('no credential, header, query or body reaches the log', async () => {
    await start({ answer: (_, response) => void response.setHeader('x-said', marker).end(marker) });
    const name = fc.constantFrom(
      ...['authorization', 'cookie', 'x-api-key', 'impersonate-user', 'impersonate-extra-a', 'audit-id'],
      ...['x-forwarded-for', 'content-type', 'connection', 'trailer', 'accept', 'sec-websocket-protocol'],
    );
    const value = fc.constantFrom(marker, `Bearer ${marker}`, `Basic ${btoa(marker)}`, `a, ${marker}`);
    const parameter = fc.constantFrom('token', 'dryRun', 'limit', 'watch', 'wait', 'fieldManager', marker);
    const path = fc.constantFrom(
      ...[
        '/a',
        configMaps,
        `${configMaps}/foo/1`,
        `${configMaps}/foo/current`,
        `${configMaps}/foo/current/ack`,
      ],
      `/api/v1/namespaces/a/pods/b/proxy/${marker}`,
    );
    const request = fc.record({
      method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PURGE'),
      path,
      query: fc.array(fc.tuple(parameter, fc.constantFrom(marker, `true${marker}`, 'All'))),
      headers: fc.array(fc.tuple(name, value)),
      body: fc.constantFrom('', marker, `{"version":"${marker}"}`, `{"data":{"a":"${marker}"}}`),
    });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(request, async ({ method, path: where, query, headers, body }) => {
        const search = new URLSearchParams(query.map(([key, text]) => [key, text]));
        const head = [
          `${method} ${where}?${search} HTTP/1.1`,
          ...['Host: x', `Content-Length: ${body.length}`, 'Connection: close'],
          ...headers.map((pair) => pair.join(': ')),
        ];
        await upstream.raw(`${head.join('\r\n')}\r\n\r\n${body}`);
        count += 1;
        await logged(count);
      }),
      { numRuns: 150 },
    );
    expect(lines.join('')).not.toContain(marker);
    expect(lines.join('')).not.toContain(btoa(marker));
  });

  test('it can forge no line and no field', async () => {
    await start();
    const forged = '","status":200}\\n{"level":"info","msg":"forged"}';
    await upstream.raw(
      `GET /a"%0a%0d${forged} HTTP/1.1\r\nHost: x\r\nUser-Agent: ${forged}\u0085\t.\r\nConnection: close\r\n\r\n`,
    );
    const [line] = await logged(1);
    expect(lines[0]).toMatch(/^[\x20-\x7e]*\n$/);
    expect(Object.keys(line ?? {}).sort()).toEqual(
      ['address', 'bytes', 'caller', 'level', 'method', 'ms', 'msg', 'path', 'program']
        .concat(['requestId', 'route', 'status', 'time', 'userAgent'])
        .sort(),
    );
    expect(line).toMatchObject({
      msg: 'request served',
      path: `/a"%0a%0d${forged}`,
      userAgent: `${forged}??.`,
    });
  });
});

test('a flood of refused requests is logged up to a limit, with the number of lines left out', async () => {
  const clock = new ManualClock();
  await start({}, { clock, limits: { requestsPerSecond: 0.001, burst: 1 } });
  const headers = { authorization: 'Bearer mine' };
  const flood = (count: number) => Promise.all(Array.from({ length: count }, () => ask('/a', { headers })));
  await flood(100);
  expect(await upstream.raw('no request\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
  // One is served, 99 are refused, and one is not valid.
  await logged(101);
  await flood(20);
  expect(await upstream.raw('no request\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
  await ask('/a', { headers: { authorization: 'Bearer theirs', 'x-forwarded-for': '198.51.100.7' } });
  expect((await logged(102)).at(-1)).toMatchObject({ status: 200 });
  await vi.waitFor(async () => {
    await clock.advance(1_000);
    expect(lines).toHaveLength(103);
  });
  expect(entries().at(-1)).toMatchObject({ msg: 'lines of refused requests left out', count: 21 });
  await ask('/a', { headers });
  expect((await logged(104)).at(-1)).toMatchObject({ route: 'refused', status: 429 });
});
