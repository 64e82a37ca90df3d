import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ClusterAccess } from '../src/access.ts';
import { inClusterAccess } from '../src/identity/in-cluster.ts';
import { loadAccess } from '../src/identity/load-access.ts';
import { silentLogger } from '../src/log/silent-logger.ts';
import { configMaps } from '../src/resource.ts';
import { createAuthority, issue } from '../src/tls/authority.ts';
import { httpClient } from '../src/transport/http-client.ts';

let engine: Engine;
let namespace: string;
let folder: string;
const clients: { close(): void }[] = [];

beforeAll(async () => {
  engine = await currentEngine();
  namespace = await engine.namespace();
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trimtab-identity-'));
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await rm(folder, { recursive: true });
});

afterAll(() => engine?.close());

function connect(access: ClusterAccess) {
  const client = httpClient({ access, log: silentLogger });
  clients.push(client);
  return client;
}

/** Returns the user name that the API server authenticates. */
async function whoAmI(client: ReturnType<typeof connect>): Promise<string> {
  const review = await client.raw<{ status: { userInfo: { username: string } } }>({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
  });
  return review.status.userInfo.username;
}

async function serviceAccountToken(): Promise<string> {
  const access = await engine.access({ serviceAccount: 'default', namespace });
  return (await access.headers())['authorization']?.replace('Bearer ', '') ?? '';
}

/** Replaces a file atomically, as tools that rotate credentials do. */
async function put(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(`${path}.new`, content, { mode: 0o600 });
  await rename(`${path}.new`, path);
  return path;
}

/** Writes a kubeconfig for the engine's cluster, with the CA file next to it. */
async function kubeconfigFor(user: object): Promise<string> {
  const admin = await engine.access();
  const ca = (await admin.tls()).ca ?? '';
  await put('ca.crt', ca);
  const config = {
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server: admin.server, 'certificate-authority': 'ca.crt' } }],
    users: [{ name: 'test', user }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace } }],
  };
  return put('kubeconfig', JSON.stringify(config));
}

const robot = () => `system:serviceaccount:${namespace}:default`;

describe('a token', () => {
  test('in the kubeconfig', async () => {
    const kubeconfig = await kubeconfigFor({ token: await serviceAccountToken() });
    const access = await loadAccess({ kubeconfig });
    expect(access.namespace).toBe(namespace);
    const client = connect(access);
    expect(await whoAmI(client)).toBe(robot());
    await expect(client.list(configMaps, { namespace })).rejects.toMatchObject({
      status: 403,
      reason: 'Forbidden',
    });
  });

  test('in a file that is replaced while we run', async () => {
    await put('token', 'not a token');
    const client = connect(await loadAccess({ kubeconfig: await kubeconfigFor({ tokenFile: 'token' }) }));
    await expect(whoAmI(client)).rejects.toMatchObject({ name: 'ApiError', status: 401 });
    await put('token', await serviceAccountToken());
    expect(await whoAmI(client)).toBe(robot());
  });

  test("of a pod's service account", async () => {
    const admin = await engine.access();
    await put('ca.crt', (await admin.tls()).ca ?? '');
    await put('token', await serviceAccountToken());
    await put('namespace', namespace);
    const { hostname, port } = new URL(admin.server);
    const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
    const access = await inClusterAccess(env, folder);
    expect(access.namespace).toBe(namespace);
    expect(await whoAmI(connect(access))).toBe(robot());
  });

  test('of a plugin, which is asked again when it was refused', async () => {
    await put('token', 'not a token');
    const script = [
      '#!/bin/sh',
      `printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}' "$(cat "$1")"`,
    ].join('\n');
    await chmod(await put('plugin', script), 0o755);
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './plugin',
      args: [join(folder, 'token')],
      interactiveMode: 'Never',
    };
    const client = connect(await loadAccess({ kubeconfig: await kubeconfigFor({ exec }) }));
    await expect(whoAmI(client)).rejects.toMatchObject({ status: 401 });
    await put('token', await serviceAccountToken());
    const everybody = await Promise.all(Array.from({ length: 10 }, () => whoAmI(client)));
    expect(new Set(everybody)).toEqual(new Set([robot()]));
  });

  test('of a plugin that fails is an error with its words', async () => {
    await chmod(await put('plugin', '#!/bin/sh\necho "please log in" >&2\nexit 1\n'), 0o755);
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin' };
    const client = connect(await loadAccess({ kubeconfig: await kubeconfigFor({ exec }) }));
    await expect(whoAmI(client)).rejects.toMatchObject({
      code: 'CredentialsUnavailable',
      message: expect.stringContaining('please log in'),
    });
  });
});

describe('a client certificate', () => {
  test('in files that are replaced while we run', async () => {
    const valid = { now: Date.now() - 60_000, validForMs: 3_600_000 };
    const strangers = createAuthority({ commonName: 'strangers', ...valid });
    const stranger = issue(strangers, { commonName: 'stranger', usages: ['client'], ...valid });
    await put('me.crt', stranger.certificate);
    await put('me.key', stranger.key);
    const user = { 'client-certificate': 'me.crt', 'client-key': 'me.key' };
    const client = connect(await loadAccess({ kubeconfig: await kubeconfigFor(user) }));
    await expect(whoAmI(client)).rejects.toMatchObject({ name: 'ApiError', status: 401 });

    const { cert = '', key = '' } = await (await engine.access()).tls();
    await put('me.crt', cert);
    await put('me.key', key);
    expect(await whoAmI(client)).toBe(await whoAmI(connect(await engine.access())));
  });
});

test('somebody else, for those who may impersonate', async () => {
  const { cert = '', key = '' } = await (await engine.access()).tls();
  const data = (material: string | Buffer) => Buffer.from(material).toString('base64');
  const user = {
    'client-certificate-data': data(cert),
    'client-key-data': data(key),
    as: 'jane',
    'as-groups': ['dev'],
  };
  expect(await whoAmI(connect(await loadAccess({ kubeconfig: await kubeconfigFor(user) })))).toBe('jane');
});
