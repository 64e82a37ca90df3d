import type { TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, test } from 'vitest';
import { transportScene } from '../../test/transport-scene.ts';
import { accessTo, answerJson, type LocalServer, status } from '../../test/transport-server.ts';
import type { TlsSettings } from '../access.ts';
import { configMaps } from '../resource.ts';
import { type CertificateAndKey, createAuthority, issue } from '../tls/authority.ts';

const foo = { namespace: 'shop', name: 'foo' };
const theConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: foo };
const valid = { now: Date.now() - 60_000, validForMs: 3_600_000 };
const scene = transportScene();

let authority: CertificateAndKey;
let serverPair: CertificateAndKey;

beforeAll(() => {
  authority = createAuthority({ commonName: 'test-ca', ...valid });
  serverPair = issue(authority, {
    commonName: 'server',
    dnsNames: ['kubernetes.example'],
    usages: ['server'],
    ...valid,
  });
});

type Judge = (clientName: string | undefined, method: string | undefined) => number | Promise<number>;

/** A server named kubernetes.example. `judge` chooses the status by the common name of the client certificate. */
async function secureServer(judge: Judge): Promise<LocalServer> {
  const tls = {
    cert: serverPair.certificate,
    key: serverPair.key,
    ca: authority.certificate,
    requestCert: true,
    rejectUnauthorized: false,
  };
  return scene.https(async (request, response) => {
    const name = (request.socket as TLSSocket).getPeerCertificate().subject?.CN;
    const code = await judge(typeof name === 'string' ? name : undefined, request.method);
    answerJson(response, code, code === 200 ? theConfigMap : status(code, 'Unauthorized'));
  }, tls);
}

function trusting(extra: TlsSettings = {}): TlsSettings {
  return { ca: authority.certificate, servername: 'kubernetes.example', ...extra };
}

describe('connections', () => {
  test('are used again', async () => {
    const server = await scene.http((_request, response) => answerJson(response, 200, theConfigMap));
    const client = scene.clientOf(server);
    for (let n = 0; n < 10; n++) await client.get(configMaps, foo);
    expect(server.opened()).toBe(1);
  });

  test('are few, however many requests come at once', async () => {
    const server = await scene.http((_request, response) => answerJson(response, 200, theConfigMap));
    const client = scene.clientOf(server);
    await Promise.all(Array.from({ length: 500 }, () => client.get(configMaps, foo)));
    expect(server.opened()).toBeLessThanOrEqual(32);
  });

  test('held by watches leave requests enough', async () => {
    const server = await scene.http((request, response) => {
      if (!request.url?.includes('watch=true')) return answerJson(response, 200, theConfigMap);
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    });
    const client = scene.clientOf(server);
    const stop = new AbortController();
    const open = () => client.watch(configMaps, { signal: stop.signal, timeoutSeconds: 300 });
    await Promise.all(Array.from({ length: 50 }, open));
    expect(await client.get(configMaps, foo)).toEqual(theConfigMap);
    expect(server.open()).toBe(51);
    stop.abort();
    await expect.poll(() => server.open()).toBe(1);
  });

  test('that the server closed meanwhile do no harm to a read', async () => {
    const server = await scene.http((request, response) => {
      answerJson(response, 200, theConfigMap);
      response.on('finish', () => request.socket.destroy());
    });
    const client = scene.clientOf(server);
    for (let n = 0; n < 20; n++) expect(await client.get(configMaps, foo)).toEqual(theConfigMap);
  });

  test('that are all taken: who waits for one can give up', async () => {
    const server = await scene.http(() => {});
    const client = scene.clientOf(server);
    const stop = new AbortController();
    const busy = Array.from({ length: 32 }, () => client.get(configMaps, foo, { signal: stop.signal }));
    await expect.poll(() => server.open()).toBe(32);
    const giveUp = new AbortController();
    const waiting = client.create(configMaps, theConfigMap, { signal: giveUp.signal });
    await new Promise((resolve) => setImmediate(resolve));
    giveUp.abort();
    await expect(waiting).rejects.toBe(giveUp.signal.reason);
    stop.abort();
    await Promise.allSettled(busy);
  });

  test('are gone after close, and so is what still wanted one', async () => {
    const server = await scene.http((request, response) => {
      if (request.method === 'GET') answerJson(response, 200, theConfigMap);
    });
    const client = scene.clientOf(server);
    await client.get(configMaps, foo);
    const underWay = client.create(configMaps, theConfigMap);
    const outcome = expect(underWay).rejects.toMatchObject({ name: 'NetworkError' });
    await expect.poll(() => server.open()).toBe(1);
    client.close();
    await outcome;
    await expect(client.get(configMaps, foo)).rejects.toMatchObject({
      code: 'ERR_CLIENT_CLOSED',
      sent: 'no',
    });
    await expect.poll(() => server.open()).toBe(0);
  });
});

test('a connection that is still being made ends with close, too', async () => {
  const server = await scene.socket(() => {});
  const client = scene.connect(accessTo(server.url.replace('http:', 'https:')));
  const outcome = expect(client.get(configMaps, foo)).rejects.toMatchObject({
    name: 'NetworkError',
    sent: 'no',
  });
  await expect.poll(() => server.open()).toBe(1);
  client.close();
  await outcome;
  await expect.poll(() => server.open()).toBe(0);
});

describe('certificates', () => {
  function certificateOf(commonName: string): TlsSettings {
    const { certificate: cert, key } = issue(authority, { commonName, usages: ['client'], ...valid });
    return trusting({ cert, key });
  }

  test('are asked for with each connection, not with each request', async () => {
    let asked = 0;
    const server = await secureServer(() => 200);
    const settings = certificateOf('robot');
    const client = scene.connect(
      accessTo(server.url, {
        tls: () => {
          asked++;
          return settings;
        },
      }),
    );
    for (let n = 0; n < 5; n++) await client.get(configMaps, foo);
    expect({ asked, opened: server.opened() }).toEqual({ asked: 1, opened: 1 });
  });

  test('that are refused are replaced by what is there now, on a connection of their own', async () => {
    const seen: (string | undefined)[] = [];
    let refused = 'nobody';
    const server = await secureServer((name) => {
      seen.push(name);
      return name === refused ? 401 : 200;
    });
    let settings = certificateOf('before');
    const client = scene.connect(accessTo(server.url, { tls: () => settings }));
    await client.get(configMaps, foo);
    settings = certificateOf('after');
    await client.get(configMaps, foo);
    refused = 'before';
    await client.create(configMaps, theConfigMap);
    await client.get(configMaps, foo);
    expect(seen).toEqual(['before', 'before', 'before', 'after', 'after']);
  });

  test('that were refused are not used again, not even on a connection that was busy meanwhile', async () => {
    const finish = Promise.withResolvers<void>();
    const seen: (string | undefined)[] = [];
    const server = await secureServer(async (name, method) => {
      if (method === 'DELETE') await finish.promise;
      else seen.push(name);
      return name === 'before' && method === 'POST' ? 401 : 200;
    });
    let settings = certificateOf('before');
    const client = scene.connect(accessTo(server.url, { tls: () => settings }));
    const busy = client.delete(configMaps, foo);
    await expect.poll(() => server.open()).toBe(1);
    await client.get(configMaps, foo);
    settings = certificateOf('after');
    await client.create(configMaps, theConfigMap);
    finish.resolve();
    await busy;
    await Promise.all([
      client.get(configMaps, foo),
      client.get(configMaps, foo),
      client.get(configMaps, foo),
    ]);
    expect(seen).toEqual(['before', 'before', 'after', 'after', 'after', 'after']);
  });

  test.each<[string, string, () => TlsSettings]>([
    ['an unknown authority', 'SELF_SIGNED_CERT_IN_CHAIN', () => ({ servername: 'kubernetes.example' })],
    ['another name', 'ERR_TLS_CERT_ALTNAME_INVALID', () => ({ ca: authority.certificate })],
  ])('of %s are refused, and it is tried once', async (_case, code, tls) => {
    const server = await secureServer(() => 200);
    let asked = 0;
    const access = accessTo(server.url, {
      tls: () => {
        asked++;
        return tls();
      },
    });
    const get = scene.connect(access).get(configMaps, foo);
    await expect(get).rejects.toMatchObject({ name: 'NetworkError', code, sent: 'no' });
    expect(asked).toBe(1);
  });

  test('of anybody will do when the kubeconfig says so', async () => {
    const server = await secureServer(() => 200);
    const client = scene.connect(accessTo(server.url, { tls: () => ({ rejectUnauthorized: false }) }));
    expect(await client.get(configMaps, foo)).toEqual(theConfigMap);
  });

  test('that do not fit their key are a failure that certainly sent nothing', async () => {
    const server = await secureServer(() => 200);
    const mixed = {
      ...certificateOf('one'),
      key: issue(authority, { commonName: 'two', usages: ['client'], ...valid }).key,
    };
    const get = scene.connect(accessTo(server.url, { tls: () => mixed })).get(configMaps, foo);
    await expect(get).rejects.toMatchObject({ name: 'NetworkError', sent: 'no' });
  });

  test('a server that speaks no TLS is named as a failure of TLS', async () => {
    const server = await scene.http((_request, response) => answerJson(response, 200, theConfigMap));
    const url = server.url.replace('http:', 'https:');
    const get = scene.connect(accessTo(url, { tls: () => trusting() })).get(configMaps, foo);
    await expect(get).rejects.toMatchObject({ name: 'NetworkError', sent: 'no' });
  });
});
