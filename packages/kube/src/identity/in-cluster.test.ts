import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inClusterAccess } from './in-cluster.ts';

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
