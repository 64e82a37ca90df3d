import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { systemClock } from '@trimtab/kube/clock.ts';
import type { HttpServer } from '@trimtab/kube/http/http-server.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { renewedAuthorities, servedCertificate } from '@trimtab/kube/tls/authorities.ts';
import { createMaterial } from '@trimtab/kube/tls/material.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWebhookServer } from './webhook-server.ts';

let server: HttpServer;
let isInSync = true;
const now = Date.now();
const profile = { commonName: 'trimtab test', authorityLifeMs: 365 * 24 * 3_600_000 };
const authorities = renewedAuthorities(undefined, profile, now);
const hosts = ['127.0.0.1'];

beforeAll(async () => {
  const material = createMaterial(
    servedCertificate({ served: undefined, authorities, trusted: '', hosts, ...profile, now }),
  );
  server = await startWebhookServer({
    host: '127.0.0.1',
    port: 0,
    material,
    clock: systemClock,
    log: silentLogger,
    timeoutMs: 1_000,
    isInSync: () => isInSync,
    lookup: () => ({
      reloads: false,
      referenceWay: () => 'template',
      managed: () => new Set(),
      version: () => undefined,
      current: () => undefined,
      goodRevision: () => undefined,
    }),
    joinWorkload: async () => undefined,
    unknownVersions: async () => [],
    mountableSecrets: { learn: async () => {}, allows: () => true, limits: () => false },
    ensureFirstVersion: async () => undefined,
  });
});

afterAll(() => server.close(0));

function send(
  method: string,
  path: string,
  body = '',
): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${server.url}${path}`, {
      method,
      ca: authorities.current.certificate,
      agent: false,
    });
    sent.on('response', (response) => {
      void text(response).then((answer) => resolve({ status: response.statusCode, body: answer }), reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const review = (object: object) =>
  JSON.stringify({ request: { uid: 'r1', namespace: 'default', kind: { kind: 'Deployment' }, object } });

test('a review is answered with yes', async () => {
  const { status, body } = await send(
    'POST',
    '/mutate-workloads?timeout=3s',
    review({ metadata: { name: 'web' } }),
  );
  expect(status).toBe(200);
  expect(JSON.parse(body)).toEqual({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: 'r1', allowed: true },
  });
});

test('a ConfigRollout for which somebody names a version is stamped with their name', async () => {
  const object = { metadata: { name: 'configmap-foo' }, spec: { version: '1.0.0' } };
  const request = { uid: 'r2', namespace: 'default', kind: { kind: 'ConfigRollout' }, object };
  const asked = JSON.stringify({ request: { ...request, userInfo: { username: 'anna' } } });
  const { response } = JSON.parse((await send('POST', '/mutate-rollouts?timeout=3s', asked)).body);
  expect(response).toMatchObject({ uid: 'r2', allowed: true, patchType: 'JSONPatch' });
  expect(Buffer.from(response.patch, 'base64').toString()).toContain('"trimtab.dev/requested-by":"anna"');
});

test('before the cache is in sync, pods get their versions, and all else is left to the failure policy', async () => {
  isInSync = false;
  const pod = {
    metadata: { name: 'web-1', annotations: { 'trimtab.dev/versions': 'configmap/foo=foo-1' } },
    spec: { volumes: [{ name: 'c', configMap: { name: 'foo' } }] },
  };
  const rewritten = await send('POST', '/mutate-pod-references', review(pod));
  const others = [
    await send('POST', '/mutate-workloads', review({ metadata: { name: 'web' } })),
    await send('POST', '/mutate-rollouts', review({ metadata: { name: 'configmap-foo' } })),
  ];
  isInSync = true;
  expect(rewritten.status).toBe(200);
  const { response } = JSON.parse(rewritten.body);
  expect(JSON.parse(Buffer.from(response.patch, 'base64').toString())).toEqual([
    { op: 'replace', path: '/spec/volumes/0/configMap/name', value: 'foo-1' },
  ]);
  expect(others.map(({ status, body }) => [status, body])).toEqual(
    others.map(() => [503, 'the cache of the controller is not in sync yet\n']),
  );
});

test.each([
  ['POST', '/', '{}', 404],
  ['GET', '/mutate-workloads', '', 405],
  ['POST', '/mutate-rollouts', '{"request":{"uid":"r1"}}', 400],
  ['POST', '/mutate-workloads', 'garbage', 400],
  ['POST', '/mutate-workloads', 'null', 400],
  ['POST', '/mutate-workloads', '{"request":{"uid":"r1"}}', 400],
])('%s %s with %j is refused', async (method, path, body, status) => {
  expect((await send(method, path, body)).status).toBe(status);
});

test('a body that no API server sends is not read to its end', async () => {
  const answer = await send('POST', '/mutate-workloads', ' '.repeat(9 * 1024 * 1024)).catch(
    (error) => error.code,
  );
  // The connection may close before the client reads the response.
  expect([413, 'EPIPE', 'ECONNRESET']).toContain(answer.status ?? answer);
});
