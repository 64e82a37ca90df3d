import { describe, expect, test } from 'vitest';
import { ImpatientClock } from '../../test/transport-clock.ts';
import { transportScene } from '../../test/transport-scene.ts';
import { accessTo, status } from '../../test/transport-server.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { createRegistry } from '../metrics/metrics.ts';
import { configMaps } from '../resource.ts';
import { httpClient } from './http-client.ts';

const foo = { namespace: 'shop', name: 'foo' };
const theConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: foo };
const scene = transportScene();

describe('what a server may do', () => {
  test('stand behind a path', async () => {
    const server = await scene.answering([200, theConfigMap]);
    await scene.clientOf({ url: `${server.url}/clusters/one/` }).get(configMaps, foo);
    expect(server.asked).toEqual(['GET /clusters/one/api/v1/namespaces/shop/configmaps/foo']);
  });

  test('know nothing of projections: what is kept is metadata all the same', async () => {
    const full = { metadata: foo, data: { secret: 'large' } };
    const server = await scene.answering(
      [200, { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '7' }, items: [full] }],
      [200, { ...full, kind: 'ConfigMap', apiVersion: 'v1' }],
    );
    const client = scene.clientOf(server);
    const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: foo };
    expect((await client.list(configMaps, { projection: 'metadata' })).items).toEqual([partial]);
    expect(await client.get(configMaps, foo, { projection: 'metadata' })).toEqual(partial);
  });

  test('leave the kind of listed objects out, or send null for none', async () => {
    const list = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: {} };
    const server = await scene.answering(
      [200, { ...list, items: [{ metadata: foo }] }],
      [200, { ...list, items: null }],
    );
    const client = scene.clientOf(server);
    expect((await client.list(configMaps)).items).toEqual([theConfigMap]);
    expect((await client.list(configMaps)).items).toEqual([]);
  });

  test('answer text on paths that are no resources', async () => {
    const server = await scene.http((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('ok'),
    );
    expect(await scene.clientOf(server).raw({ method: 'GET', path: '/readyz' })).toBe('ok');
  });
});

test('a response is parsed when its client allows it', async () => {
  const server = await scene.answering([200, theConfigMap]);
  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>();
  const { promise: asked, resolve } = Promise.withResolvers<number>();
  const beforeParsing = (bytes: number) => {
    resolve(bytes);
    return allowed;
  };
  const client = httpClient({ access: accessTo(server.url), beforeParsing });
  let isParsed = false;
  const reading = client.get(configMaps, foo).then((object) => {
    isParsed = true;
    return object;
  });
  expect(await asked).toBe(JSON.stringify(theConfigMap).length);
  expect(isParsed).toBe(false);
  allow();
  expect(await reading).toEqual(theConfigMap);
  client.close();
});

test('requests are counted by verb, resource and outcome', async () => {
  const registry = createRegistry();
  const server = await scene.answering([503, status(503, 'x')], [200, theConfigMap]);
  const options = { access: accessTo(server.url), log: silentLogger, clock: new ImpatientClock() };
  const client = httpClient({ ...options, metrics: registry });
  await client.get(configMaps, foo);
  client.close();
  const text = registry.render();
  expect(text).toContain('trimtab_kube_requests_total{verb="get",resource="configmaps",code="503"} 1');
  expect(text).toContain('trimtab_kube_requests_total{verb="get",resource="configmaps",code="200"} 1');
  expect(text).toContain('trimtab_kube_request_duration_seconds_count{verb="get",resource="configmaps"} 2');
});
