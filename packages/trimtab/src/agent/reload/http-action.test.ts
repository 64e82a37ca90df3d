import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority, issue } from '@trimtab/kube/tls/authority.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { type HttpActionOptions, httpAction } from './http-action.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serve = async (respond: RequestListener) => `http://${await listen(createServer(respond))}`;

function run(
  url: string,
  { method = 'POST', ...options }: Partial<Omit<HttpActionOptions, 'url'>> = {},
  signal = new AbortController().signal,
) {
  return httpAction({ url: new URL(url), method, ...options }).run({ signal, writtenAtTicks: 0 });
}

describe('a request', () => {
  test.each([200, 202, 204])('with the response %i is a success', async (status) => {
    const url = await serve((_, response) => void response.writeHead(status).end());
    expect(await run(url)).toEqual({ ok: true });
  });

  test('has the method, the path, the query and an empty body', async () => {
    const seen: unknown[] = [];
    const url = await serve(({ method, url: target, headers }, response) => {
      seen.push([method, target, headers['content-length']]);
      response.end();
    });
    await run(`${url}/-/reload?now=1`, { method: 'PUT' });
    expect(seen).toEqual([['PUT', '/-/reload?now=1', '0']]);
  });

  test('with the response 500 is refused, and its body is kept as output', async () => {
    const url = await serve((_, response) => void response.writeHead(500).end('bad line 3\n'));
    expect(await run(`${url}/-/reload?token=secret`)).toEqual({
      ok: false,
      kind: 'refused',
      message: `POST ${url}/-/reload: the response has status 500`,
      output: 'bad line 3',
    });
  });

  test('with a long response keeps the beginning of it', async () => {
    const url = await serve((_, response) => {
      response.writeHead(400);
      response.write('first ');
      response.end('x'.repeat(100_000));
    });
    const outcome = await run(url);
    expect(outcome).toMatchObject({ kind: 'refused', output: expect.stringMatching(/^first x{2042}$/) });
  });

  test('is not redirected', async () => {
    let requests = 0;
    const url = await serve((_, response) => {
      requests += 1;
      response.writeHead(302, { location: '/other' }).end();
    });
    expect(await run(url)).toMatchObject({ kind: 'refused' });
    expect(requests).toBe(1);
  });

  test('that is not accepted is unreachable', async () => {
    const url = await serve(() => {});
    const closed = once(servers[0] as Server, 'close');
    servers.pop()?.close();
    await closed;
    expect(await run(`${url}/-/reload`)).toEqual({
      ok: false,
      kind: 'unreachable',
      isUntouched: true,
      message: `POST ${url}/-/reload: ECONNREFUSED`,
    });
  });

  test('whose connection is cut, before or in the response, is unreachable', async () => {
    const cut = await serve(({ socket }) => void socket.destroy());
    expect(await run(cut)).toMatchObject({ kind: 'unreachable' });
    const cutLater = await serve(({ socket }, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('a part', () => socket.destroy());
    });
    expect(await run(cutLater)).toMatchObject({ kind: 'unreachable' });
  });

  test('without a response in time is unreachable, and its connection is closed', async () => {
    const stop = new AbortController();
    const closed = Promise.withResolvers<void>();
    const url = await serve(({ socket }) => {
      socket.on('close', () => closed.resolve());
      stop.abort();
    });
    expect(await run(url, {}, stop.signal)).toEqual({
      ok: false,
      kind: 'unreachable',
      message: `POST ${url}/: no response in time`,
    });
    await closed.promise;
  });

  test('whose response does not end in time is unreachable', async () => {
    const stop = new AbortController();
    const url = await serve((_, response) => {
      response.writeHead(200);
      response.write('a part', () => stop.abort());
    });
    expect(await run(url, {}, stop.signal)).toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('no response in time'),
    });
  });
});

describe('a request over https', () => {
  const now = Date.now();
  const authority = createAuthority({ commonName: 'test-ca', now, validForMs: 3_600_000 });
  const { certificate, key } = issue(authority, {
    ...{ commonName: 'app', ipAddresses: ['127.0.0.1'], usages: ['server'], now },
    validForMs: 3_600_000,
  });
  let folder: string | undefined;
  afterEach(() => {
    if (folder !== undefined) rmSync(folder, { recursive: true });
    folder = undefined;
  });

  const serveTls = async () =>
    `https://${await listen(createTlsServer({ cert: certificate, key }, (_, response) => void response.end()))}`;

  test('trusts the authorities of the file, which may be replaced', async () => {
    folder = mkdtempSync(join(tmpdir(), 'test-ca-'));
    const caFile = join(folder, 'ca.crt');
    const other = createAuthority({ commonName: 'other-ca', now, validForMs: 3_600_000 });
    const url = await serveTls();
    writeFileSync(caFile, other.certificate);
    expect(await run(url, { caFile })).toMatchObject({ kind: 'unreachable' });
    writeFileSync(caFile, authority.certificate);
    expect(await run(url, { caFile })).toEqual({ ok: true });
  });

  test('does not trust an authority that is not given', async () => {
    expect(await run(await serveTls())).toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/: [A-Z_]+$/),
    });
  });

  test('names a file of authorities that cannot be read', async () => {
    const url = await serveTls();
    expect(await run(url, { caFile: '/no/ca.crt' })).toMatchObject({
      kind: 'unreachable',
      message: `POST ${url}/: cannot read /no/ca.crt: ENOENT`,
    });
  });
});
