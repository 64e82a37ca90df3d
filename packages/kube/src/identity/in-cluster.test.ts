import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAuthority, issue } from '../tls/authority.ts';
import { entryAccess } from './entry-access.ts';
import { inClusterAccess, inClusterEntries } from './in-cluster.ts';
import type { LoadAccessOptions } from './load-access.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'test-pod-'));
  await writeFile(join(folder, 'token'), 'first');
  await writeFile(join(folder, 'ca.crt'), 'the CA');
  await writeFile(join(folder, 'namespace'), 'shop');
});

afterEach(() => rm(folder, { recursive: true }));

const env = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };

test("a pod's identity is what the kubelet put there, and what it puts there later", async () => {
  const access = await inClusterAccess(env, folder);
  expect(access).toMatchObject({ server: 'https://10.96.0.1:443', namespace: 'shop' });
  expect(await access.headers()).toEqual({ authorization: 'Bearer first' });

  await writeFile(join(folder, 'token'), 'second');
  await writeFile(join(folder, 'ca.crt'), 'the next CA');
  access.invalidate?.();
  expect(await access.headers()).toEqual({ authorization: 'Bearer second' });
  expect(String((await access.tls()).ca)).toBe('the next CA');
});

test('the address may be of IPv6', async () => {
  const access = await inClusterAccess({ ...env, KUBERNETES_SERVICE_HOST: 'fd00::1' }, folder);
  expect(new URL(access.server).hostname).toBe('[fd00::1]');
});

test('without a CA there is nothing to trust', async () => {
  await rm(join(folder, 'ca.crt'));
  await expect(inClusterAccess(env, folder)).rejects.toMatchObject({
    code: 'KubeconfigUnusable',
    message: expect.stringContaining('automountServiceAccountToken'),
  });
});

describe('flags override the service account', () => {
  const valid = { now: Date.now() - 60_000, validForMs: 3_600_000 };
  const authority = createAuthority({ commonName: 'test-ca', ...valid });
  const robot = issue(authority, { commonName: 'robot', usages: ['client'], ...valid });

  beforeEach(() => writeFile(join(folder, 'ca.crt'), authority.certificate));

  const load = async (flags: LoadAccessOptions) =>
    entryAccess(inClusterEntries(await inClusterAccess(env, folder), folder), flags);

  test('the token; the server, its CA and the namespace stay', async () => {
    const access = await load({ token: 'mine' });
    expect(access).toMatchObject({ server: 'https://10.96.0.1:443', namespace: 'shop' });
    expect(await access.headers()).toEqual({ authorization: 'Bearer mine' });
    expect(String((await access.tls()).ca)).toBe(authority.certificate);
  });

  test('the CA and the identity; the token stays, and is still read again', async () => {
    const access = await load({ insecureSkipTlsVerify: true, as: 'jane', asGroup: ['a', 'b'] });
    expect(await access.tls()).toEqual({ rejectUnauthorized: false });
    expect(await access.headers()).toEqual({ authorization: 'Bearer first', 'impersonate-user': 'jane' });
    expect(access.repeatedHeaders).toEqual({ 'impersonate-group': ['a', 'b'] });
    await writeFile(join(folder, 'token'), 'second');
    access.invalidate?.();
    expect(await access.headers()).toMatchObject({ authorization: 'Bearer second' });
  });

  test('a client certificate', async () => {
    const [clientCertificate, clientKey] = [join(folder, 'me.crt'), join(folder, 'me.key')];
    await writeFile(clientCertificate, robot.certificate);
    await writeFile(clientKey, robot.key);
    const { ca, cert } = await (await load({ clientCertificate, clientKey })).tls();
    expect([ca, cert].map(String)).toEqual([authority.certificate, robot.certificate]);
  });
});
