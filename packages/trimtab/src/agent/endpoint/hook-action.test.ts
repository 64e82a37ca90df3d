import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority, issue } from '@trimtab/kube/tls/authority.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { type HookActionOptions, hookAction, hookTrust } from './hook-action.ts';

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

function run(url: string, options: Partial<HookActionOptions> = {}, signal = new AbortController().signal) {
  const action = hookAction({ url: new URL(url), changed: () => [], ...options });
  return action.run({ signal, writtenAtTicks: 0 });
}

describe('a hook', () => {
  test.each([200, 201, 204])('acknowledges with %i', async (status) => {
    const url = await serve((_, response) => void response.writeHead(status).end());
    expect(await run(url)).toEqual({ ok: true });
  });

  test('refuses with any other status, and its body is the reason', async () => {
    const url = await serve((_, response) => void response.writeHead(422).end('line 3: unknown option\n'));
    expect(await run(`${url}/x?secret=1`)).toEqual({
      ok: false,
      kind: 'refused',
      message: `hook ${url}/x refused: 422`,
      output: 'line 3: unknown option',
    });
  });

  test('is not followed to another place', async () => {
    let requests = 0;
    const url = await serve((_, response) => {
      requests += 1;
      response.writeHead(307, { location: '/other' }).end();
    });
    expect(await run(url)).toMatchObject({ kind: 'refused', message: `hook ${url}/ refused: 307` });
    expect(requests).toBe(1);
  });

  test('whose reason is long is cut between two characters', async () => {
    const url = await serve((_, response) => void response.writeHead(400).end(`x${'ü'.repeat(100_000)}`));
    expect(await run(url)).toMatchObject({ kind: 'refused', output: `x${'ü'.repeat(511)}` });
  });

  test('whose reason never ends has refused all the same', async () => {
    const url = await serve((_, response) => void response.writeHead(500).write('x'.repeat(2_000)));
    expect(await run(url)).toMatchObject({ kind: 'refused', output: 'x'.repeat(1_024) });
  });

  test('whose reason breaks off has refused all the same', async () => {
    const url = await serve(({ socket }, response) => {
      response.writeHead(500, { 'content-length': 100 });
      response.write('a part', () => socket.end());
    });
    expect(await run(url)).toMatchObject({ kind: 'refused', output: 'a part' });
  });

  test('that does not listen is unreachable, and has not read the files', async () => {
    const url = await serve(() => {});
    const closed = once(servers[0] as Server, 'close');
    servers.pop()?.close();
    await closed;
    expect(await run(url)).toEqual({
      ok: false,
      kind: 'unreachable',
      message: `hook ${url}/: ECONNREFUSED`,
      isUntouched: true,
    });
  });

  test('that does not answer in time, or breaks off, is unreachable', async () => {
    const stop = new AbortController();
    const silent = await serve(() => stop.abort());
    expect(await run(silent, {}, stop.signal)).toEqual({
      ok: false,
      kind: 'unreachable',
      message: `hook ${silent}/: no response in time`,
    });
    const cut = await serve(({ socket }) => void socket.destroy());
    expect(await run(cut)).toMatchObject({ kind: 'unreachable' });
  });

  test('gets the configs of the time of the call, and no token of the pod without need', async () => {
    const seen: unknown[] = [];
    const url = await serve((request, response) => {
      request.on('data', (body) => {
        seen.push([
          request.method,
          request.headers['content-type'],
          request.headers.authorization,
          String(body),
        ]);
        response.end();
      });
    });
    await run(url, { changed: () => [{ kind: 'Secret', name: 'bar', version: '1.0.0' }] });
    const body = '{"configs":[{"kind":"Secret","name":"bar","version":"1.0.0"}]}';
    expect(seen).toEqual([['POST', 'application/json', undefined, body]]);
  });
});

describe('a hook over https', () => {
  const now = Date.now();
  const authority = createAuthority({ commonName: 'test-ca', now, validForMs: 3_600_000 });
  const material = issue(authority, {
    ...{ commonName: 'app', ipAddresses: ['127.0.0.1'], usages: ['server'], now },
    validForMs: 3_600_000,
  });
  const other = createAuthority({ commonName: 'other-ca', now, validForMs: 3_600_000 });
  const serveTls = async () => {
    const tls = { cert: material.certificate, key: material.key };
    return `https://${await listen(createTlsServer(tls, (_, response) => void response.end()))}`;
  };

  test('is trusted by its authority', async () => {
    const url = await serveTls();
    expect(await run(url, { trust: hookTrust(authority.certificate) })).toEqual({ ok: true });
    expect(await run(url, { trust: hookTrust(authority.certificate, { withSystem: true }) })).toEqual({
      ok: true,
    });
  });

  test('is not trusted otherwise', async () => {
    const url = await serveTls();
    expect(await run(url, { trust: hookTrust(other.certificate) })).toMatchObject({ kind: 'unreachable' });
    expect(await run(url)).toMatchObject({ kind: 'unreachable' });
  });
});
