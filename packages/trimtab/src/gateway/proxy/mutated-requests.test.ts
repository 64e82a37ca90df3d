import { once } from 'node:events';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { ScriptedUpstream } from '../../../test/gateway/support/scripted-upstream.ts';

let upstream: ScriptedUpstream | undefined;
afterEach(() => upstream?.close());

const start = (mode: 'gateway' | 'proxy') =>
  ScriptedUpstream.start(
    {
      answer(incoming, response) {
        incoming.resume().once('end', () => response.end('ok'));
      },
      upgrade(_, socket) {
        socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
      },
    },
    { mode },
  );

/** A request as it is written to the socket. Its number is in its path, its token and its impersonation. */
interface Written {
  method: string;
  target: string;
  version: string;
  headers: string[];
  body: string;
}

const fragments = [
  '',
  '/',
  '//',
  '/.',
  '/..',
  '/%2e%2e',
  '/%2F',
  '/%00',
  '/%',
  '/%zz',
  '/é',
  '/\u0001',
  ';a=b',
  '\\',
  '?',
  '?a=b',
  '?watch=1',
  '#',
  ' ',
  '\t',
  '@',
  ':',
  '*',
  '/'.repeat(50),
  `/${'x'.repeat(9_000)}`,
];
const roots = [
  '/api/v1/namespaces/default/configmaps',
  '/apis/apps/v1/deployments',
  '/',
  '//api',
  'http://10.0.0.1/api',
  '*',
  '/api/v1/namespaces/default/configmaps/foo/current',
  '',
];

const target = fc
  .tuple(fc.constantFrom(...roots), fc.array(fc.constantFrom(...fragments), { maxLength: 3 }))
  .map(([root, parts]) => root + parts.join(''));

const names = [
  'X-A',
  'Connection',
  'connection',
  'Transfer-Encoding',
  'Content-Length',
  'Content_Length',
  'Upgrade',
  'Host',
  'Expect',
  'TE',
  'Trailer',
  'Proxy-Connection',
  'Keep-Alive',
  'X-Remote-User',
  'X-Remote-Group',
  'x-remote-extra-scopes',
  'X_Remote_User',
  'X-Forwarded-For',
  'Forwarded',
  'X-Real-IP',
  'Impersonate-User',
  'impersonate-group',
  'Impersonate-Extra-a',
  'Impersonate_User',
  'Authorization',
  'AUTHORIZATION',
  'Cookie',
  'Sec-WebSocket-Protocol',
  'If-Match',
  'If-None-Match',
  'Accept',
  'Content-Type',
  'content-type',
  'Content-Encoding',
  'X'.repeat(300),
  '',
  'X\u0000A',
  'X A',
  'Xé',
];
const values = [
  '',
  'a',
  'close',
  'keep-alive',
  'upgrade',
  'Upgrade, close',
  'Authorization',
  'Impersonate-User, X-Forwarded-For',
  'Content-Length',
  'chunked',
  'Chunked',
  ' chunked',
  'chunked, identity',
  'identity',
  'xchunked',
  '0',
  '5',
  '+5',
  '-1',
  '5, 5',
  '0x5',
  '99999999999999999999',
  'websocket',
  'SPDY/3.1',
  'h2c',
  '100-continue',
  'trailers',
  'root',
  'system:masters',
  'Bearer other',
  'base64url.bearer.authorization.k8s.io.cm9vdA',
  '"1.0.0"',
  '*',
  'W/"',
  'gzip',
  'application/yaml',
  'application/apply-patch+yaml; charset=latin1',
  'a\u0000b',
  'a\rb',
  'a\nX-Remote-User: root',
  'a\r\n folded',
  'é',
  'y'.repeat(9_000),
];
const separators = [': ', ':', ' : ', ':\t'];
const endings = ['\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r\n '];

const header = fc
  .tuple(
    fc.constantFrom(...names),
    fc.oneof(
      { weight: 8, arbitrary: fc.constant(': ') },
      { weight: 1, arbitrary: fc.constantFrom(...separators) },
    ),
    fc.constantFrom(...values),
    fc.constantFrom(...endings),
  )
  .map((parts) => parts.join(''));

const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
const bodies = [
  '',
  'hello',
  `0\r\n\r\n${smuggled}`,
  `5\r\nhello\r\n0\r\n\r\n`,
  `5;a=b\r\nhello\r\n0\r\nX-Remote-User: root\r\n\r\n`,
  `5\r\nhel`,
  smuggled,
  '\r\n\r\n',
];

const written: fc.Arbitrary<Written> = fc.record({
  method: fc.constantFrom(
    'GET',
    'GET',
    'POST',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'HEAD',
    'OPTIONS',
    'get',
    'CONNECT',
    'TRACE',
    'G T',
  ),
  target,
  version: fc.constantFrom('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'http/1.1', ''),
  headers: fc.array(header, { maxLength: 4 }),
  body: fc.constantFrom(...bodies),
});

type Request = readonly [written: Written, framing: 'none' | 'length' | 'chunked', withToken: boolean];

const request: fc.Arbitrary<Request> = fc.tuple(
  written,
  fc.constantFrom('none', 'length', 'chunked'),
  fc.boolean(),
);

/** All requests of all runs: the last ones of a connection may arrive after it is closed. */
const sent: Request[] = [];

/** Writes a request with its number. */
function bytesOf(each: Request): string {
  const [{ method, target: path, version, headers, body }, framing, withToken] = each;
  const number = sent.push(each) - 1;
  const own = [
    'Host: localhost\r\n',
    `X-Number: ${number}\r\n`,
    ...(withToken ? [`Authorization: Bearer t${number}\r\n`, `Impersonate-User: u${number}\r\n`] : []),
    ...(framing === 'length' ? [`Content-Length: ${body.length}\r\n`] : []),
    ...(framing === 'chunked' ? ['Transfer-Encoding: chunked\r\n'] : []),
  ];
  return `${method} ${path} ${version}\r\n${own.join('')}${headers.join('')}\r\n${body}`;
}

/** Sends bytes and the end of the connection. Returns all that the gateway sends until it closes the connection. */
async function exchange(gateway: ScriptedUpstream, bytes: string): Promise<string> {
  const socket = await gateway.connect({ allowHalfOpen: true });
  let text = '';
  socket.on('data', (part) => {
    text += part;
  });
  const closed = once(socket, 'close');
  const ended = once(socket, 'end').catch(() => undefined);
  socket.end(Buffer.from(bytes, 'latin1'));
  await Promise.race([closed, ended]);
  socket.destroy();
  return text;
}

const all = (headers: readonly string[], wanted: RegExp) =>
  headers.flatMap((name, index) =>
    index % 2 === 0 && wanted.test(name.toLowerCase())
      ? [[name.toLowerCase(), headers[index + 1] ?? '']]
      : [],
  );

/** To repeat a run, set TRIMTAB_SEED; TRIMTAB_FUZZ_RUNS sets the number of runs. */
const seed = Number(process.env['TRIMTAB_SEED'] ?? 17);
const numRuns = Number(process.env['TRIMTAB_FUZZ_RUNS'] ?? 400);

const numbers = { seed, numRuns, endOnFailure: process.env['TRIMTAB_FUZZ_RUNS'] !== undefined };

test.each(['gateway', 'proxy'] as const)(
  `whatever bytes arrive, the API server gets whole requests with the identity of their own callers (%s, seed ${seed})`,
  async (mode) => {
    const behind = await start(mode);
    upstream = behind;
    const check = mode === 'gateway' ? checkCaller : checkOwner;
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 3 }), async (requests) => {
        const answer = await exchange(behind, requests.map(bytesOf).join(''));
        // A connection may close without an answer, but an answer is HTTP, and never a failure of the gateway.
        expect(answer).toMatch(/^(HTTP\/1\.1 [1-5]\d\d |$)/);
        expect(answer).not.toMatch(/HTTP\/1\.1 500 /);
        expect(behind.malformed.splice(0)).toEqual([]);
        for (const { rawHeaders, headers, url = '' } of behind.requests.splice(0)) {
          // A request to a route of the gateway causes requests of its own.
          if (headers['user-agent']?.startsWith('trimtab-gateway')) continue;
          checkForwarded(rawHeaders, url);
          check(rawHeaders);
        }
      }),
      numbers,
    );
    const last = await behind.raw('GET /last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(last).toMatch(/^HTTP\/1\.1 200 /);
  },
  600_000,
);

function checkForwarded(raw: readonly string[], url: string): void {
  expect(url).toMatch(/^\/[\x21-\xff]*$/);
  expect(all(raw, /^host$/)).toHaveLength(1);
  expect(all(raw, /^(x-remote-|forwarded$|x-real-ip$|expect$|te$|trailer$|proxy-|keep-alive$)/)).toEqual([]);
  const from = all(raw, /^x-forwarded-/);
  expect(from).toEqual([['x-forwarded-for', expect.stringMatching(/127\.0\.0\.1$/)]]);
  expect(all(raw, /^(content-length|transfer-encoding)$/).length).toBeLessThanOrEqual(1);
  const [number] = all(raw, /^x-number$/);
  if (number === undefined) return;
  // Spaces around the target do not belong to it.
  expect(url).toBe(sent[Number(number[1])]?.[0].target.replace(/^ +| +$/g, ''));
}

/** The caller's own credentials, and all of them. */
function checkCaller(raw: readonly string[]): void {
  const [number] = all(raw, /^x-number$/);
  const tokens = all(raw, /^authorization$/);
  const users = all(raw, /^impersonate-user$/);
  // Bytes behind the end of a body are a request of their own, which has the identity that it brings: none.
  if (number === undefined) {
    expect([...tokens, ...users]).toEqual([]);
    return;
  }
  const index = Number(number[1]);
  expect(tokens.length).toBeLessThanOrEqual(1);
  if (!sent[index]?.[2]) return;
  expect(tokens).toEqual([['authorization', `Bearer t${index}`]]);
  // Impersonation is never dropped while the credentials are kept.
  expect(users).toEqual([['impersonate-user', `u${index}`]]);
}

/** The credentials of the user who started `trimtab proxy`, and nothing of the caller's. */
function checkOwner(raw: readonly string[]): void {
  const identity = all(raw, /^(authorization|impersonate-.*|cookie)$/);
  expect(identity).toEqual([['authorization', 'Bearer ours']]);
  expect(all(raw, /^sec-websocket-protocol$/).join()).not.toContain('bearer.authorization');
}
