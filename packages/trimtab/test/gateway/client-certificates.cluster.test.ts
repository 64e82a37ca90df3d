import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CertificateAndKey, createAuthority, issue } from '@trimtab/kube/tls/authority.ts';
import { createMaterial } from '@trimtab/kube/tls/material.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { serverCertificate } from '@trimtab/test-bed/fault-proxy/server-certificate.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { clusterRoleFor } from '@trimtab/test-bed/objects/rights.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatewayScene } from './support/gateway-scene.ts';

const day = { now: Date.now(), validForMs: 24 * 3_600_000 };
const authority = createAuthority({ commonName: 'people', ...day });
const stranger = createAuthority({ commonName: 'people', ...day });
const server = serverCertificate();

import { installFor, uninstallFor } from '../controller/installed-manifests.ts';

let engine: Engine;
let gateway: GatewayScene;
let namespace: string;
let folder: string;

beforeAll(async () => {
  engine = await currentEngine();
  namespace = await engine.namespace();
  folder = await mkdtemp(join(tmpdir(), 'trimtab-certificates-'));
  const material = createMaterial({
    certificate: server.cert,
    key: server.key,
    clientAuthority: authority.certificate,
  });
  // The gateway uses the administrator's credentials, which include the right to impersonate.
  gateway = await GatewayScene.start(engine, undefined, { tls: { material }, clientCertificates: true });
  await installFor(engine, { namespace, webhook: false });
  await new Given(await engine.connect(), namespace).objects(
    clusterRoleFor('edit', 'team', { group: `team-${namespace}` }),
    configMap('foo', { color: 'blue' }),
  );
});

afterAll(async () => {
  await gateway?.close();
  if (namespace !== undefined) await uninstallFor(engine, { namespace, webhook: false });
  if (folder !== undefined) await rm(folder, { recursive: true });
  await engine?.close();
});

const certificate = (commonName: string, organizations: string[] = [], by: CertificateAndKey = authority) =>
  issue(by, { commonName, organizations, usages: ['client'], ...day });

interface Shown {
  by?: CertificateAndKey;
  headers?: Record<string, string>;
  path?: string;
}

function ask({ by, headers = {}, path = '/apis/authentication.k8s.io/v1/selfsubjectreviews' }: Shown) {
  const isReview = path.endsWith('selfsubjectreviews');
  const identity = by && { cert: by.certificate, key: by.key };
  return new Promise<{ code: number | undefined; text: string }>((resolve, reject) => {
    const outgoing = request(
      `${gateway.url}${path}`,
      {
        ...{ method: isReview ? 'POST' : 'GET', ca: server.authority, agent: false, ...identity },
        headers: { 'content-type': 'application/json', ...headers },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        response.on('end', () => resolve({ code: response.statusCode, text }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(
      isReview ? '{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}' : undefined,
    );
  });
}

const whoIs = async (shown: Shown) => {
  const { code, text } = await ask(shown);
  expect(code, text).toBe(201);
  return JSON.parse(text).status.userInfo;
};

test('the cluster knows somebody by their certificate, with all their groups and no others', async () => {
  const alice = certificate('alice', [`team-${namespace}`, 'everybody']);
  expect(await whoIs({ by: alice })).toMatchObject({
    username: 'alice',
    groups: [`team-${namespace}`, 'everybody', 'system:authenticated'],
  });
});

test.each(['José', '初版', 'x'.repeat(64)])('the cluster knows %s by their certificate', async (name) => {
  const { username, groups } = await whoIs({ by: certificate(name, [name]) });
  expect([username, groups[0]]).toEqual([name, name]);
});

test('a name that no header can carry is refused', async () => {
  const { code, text } = await ask({ by: certificate('a\nb') });
  expect(text).toContain('control characters');
  expect(code).toBe(403);
});

test('kubectl works with a certificate, and RBAC decides what it may', async () => {
  const { certificate: cert, key } = certificate('alice', [`team-${namespace}`]);
  const [certFile, keyFile, caFile] = ['cert', 'key', 'ca'].map((name) => join(folder, name));
  await Promise.all([
    writeFile(certFile ?? '', cert),
    writeFile(keyFile ?? '', key),
    writeFile(caFile ?? '', server.authority),
  ]);
  const kubeconfig = join(folder, 'empty');
  await writeFile(kubeconfig, '{}');
  const flags = ['--server', gateway.url, '--certificate-authority', caFile ?? ''];
  const identity = ['--client-certificate', certFile ?? '', '--client-key', keyFile ?? ''];
  const through = (args: string[]) =>
    kubectl(engine, [...flags, ...identity, ...args], { namespace, kubeconfig });
  expect((await through(['get', 'configmap', 'foo', '-o', 'jsonpath={.data.color}'])).stdout).toBe('blue');
  expect((await through(['get', 'nodes'])).stderr).toContain('User "alice" cannot list');
});

test('a route of ours reads as whom the certificate says', async () => {
  const path = `/api/v1/namespaces/${namespace}/configmaps/foo/1.0.0`;
  const reader = certificate('alice', [`team-${namespace}`, 'everybody']);
  expect(await ask({ by: reader, path })).toMatchObject({ code: 200 });
  const other = await ask({ by: certificate('bob'), path });
  expect([other.code, other.text]).toEqual([403, expect.stringContaining('User \\"bob\\"')]);
});

test('the audit log names the person, and that it was the gateway that said so', async () => {
  if (!engine.capabilities.auditLog) return;
  const log = engine.auditLog();
  const mark = await log.mark();
  await ask({
    by: certificate('carol', [`team-${namespace}`]),
    path: `/api/v1/namespaces/${namespace}/configmaps`,
  });
  const entry = (await log.since(mark)).find(({ user }) => user === 'carol');
  expect(entry).toMatchObject({ verb: 'list', resource: 'configmaps', code: 200 });
  expect(entry?.impersonatedBy).toBeDefined();
});

test.each([
  [
    'of an authority that nobody named',
    () => certificate('alice', [], stranger),
    {},
    401,
    'not signed by an authority',
  ],
  [
    'for the administrators’ group',
    () => certificate('alice', ['system:masters']),
    {},
    403,
    'system:masters',
  ],
  ['for a part of the cluster', () => certificate('system:kube-scheduler'), {}, 403, 'system:kube-scheduler'],
  [
    'beside the wish to be somebody else',
    () => certificate('alice'),
    { 'impersonate-user': 'root', 'impersonate-group': 'system:masters' },
    403,
    'requires an Authorization header',
  ],
  [
    'shown by a page of another origin',
    () => certificate('alice'),
    { origin: 'https://evil.example' },
    403,
    'cross-origin requests',
  ],
])('a certificate %s is refused', async (_, by, headers, code, reason) => {
  const answer = await ask({ by: by(), headers });
  expect([answer.code, answer.text]).toEqual([code, expect.stringContaining(reason)]);
  expect(JSON.parse(answer.text)).toMatchObject({ kind: 'Status' });
});

test('without one, nobody has our rights', async () => {
  const { code, text } = await ask({ path: `/api/v1/namespaces/${namespace}/secrets` });
  expect([code, text]).toEqual([403, expect.stringContaining('system:anonymous')]);
});

test('forged headers of a front proxy make nobody somebody', async () => {
  const headers = {
    'x-remote-user': 'root',
    'x-remote-group': 'system:masters',
    connection: 'close',
  };
  expect(await whoIs({ by: certificate('alice'), headers })).toMatchObject({ username: 'alice' });
  const { code } = await ask({
    by: certificate('alice'),
    headers: { ...headers, connection: 'x-remote-user' },
  });
  expect(code).toBe(400);
});
