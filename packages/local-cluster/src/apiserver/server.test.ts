import { stat } from 'node:fs/promises';
import type { ClusterAccess } from '@trimtab/kube/access.ts';
import { kubeconfigAccess } from '@trimtab/kube/identity/kubeconfig-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { configMaps, deployments, leases, namespaces, pods } from '@trimtab/kube/resource.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { type LocalServer, startLocalServer } from '@trimtab/test-bed/engines/local-server.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApiServer } from './server.ts';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

let local: LocalServer;

beforeAll(async () => {
  local = await startLocalServer();
});
afterAll(() => local.close());

const config = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  metadata: { name, namespace: 'default' },
  data,
});
const where = (name: string) => ({ namespace: 'default', name });

async function refusal(call: Promise<unknown>): Promise<{ code: number; reason: string; message: string }> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw new Error(`expected a refusal, got ${String(error)}`);
  return { code: error.status, reason: error.reason, message: error.body.message ?? '' };
}

test('a fresh cluster has its namespaces and the kubernetes service', async () => {
  const { items } = await local.client.list(namespaces);
  expect(items.map(({ metadata }) => metadata.name)).toEqual([
    'default',
    'kube-node-lease',
    'kube-public',
    'kube-system',
  ]);
  await expect(
    local.client.raw({ method: 'GET', path: '/api/v1/namespaces/default/services/kubernetes' }),
  ).resolves.toMatchObject({ spec: { clusterIP: '10.96.0.1' } });
});

test('what was created is read back, changed and deleted', async () => {
  const created = await local.client.create<ConfigMap>(configMaps, config('life', { a: '1' }));
  expect(created.metadata).toMatchObject({
    name: 'life',
    uid: expect.any(String),
    resourceVersion: expect.any(String),
  });
  const updated = await local.client.update<ConfigMap>(configMaps, { ...created, data: { a: '2' } });
  expect(Number(updated.metadata.resourceVersion)).toBeGreaterThan(Number(created.metadata.resourceVersion));
  expect(await local.client.get(configMaps, where('life'))).toEqual(updated);
  await local.client.delete(configMaps, where('life'));
  expect(await refusal(local.client.get(configMaps, where('life')))).toEqual({
    code: 404,
    reason: 'NotFound',
    message: 'configmaps "life" not found',
  });
});

test('an update of an old version is a conflict, and nothing is overwritten', async () => {
  const first = await local.client.create<ConfigMap>(configMaps, config('busy', { a: '1' }));
  await local.client.update<ConfigMap>(configMaps, { ...first, data: { a: '2' } });
  expect(
    await refusal(local.client.update(configMaps, { ...first, data: { a: '3' } } as ConfigMap)),
  ).toMatchObject({
    code: 409,
    reason: 'Conflict',
  });
  expect((await local.client.get<ConfigMap>(configMaps, where('busy'))).data).toEqual({ a: '2' });
});

test('patches that come at the same time are all kept', async () => {
  await local.client.create(configMaps, config('together'));
  const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
  await Promise.all(
    keys.map((key) =>
      local.client.patch(configMaps, where('together'), { type: 'merge', body: { data: { [key]: 'x' } } }),
    ),
  );
  const { data = {} } = await local.client.get<ConfigMap>(configMaps, where('together'));
  expect(Object.keys(data).sort()).toEqual(keys.sort());
});

test('an update that changes nothing is no new version', async () => {
  const created = await local.client.create<ConfigMap>(configMaps, config('same', { a: '1' }));
  const again = await local.client.update<ConfigMap>(configMaps, created);
  expect(again.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
});

test('a dry run shows what would be, and keeps nothing', async () => {
  const shown = await local.client.create<ConfigMap>(configMaps, config('maybe', { a: '1' }), {
    dryRun: true,
  });
  expect(shown.metadata.uid).toBeDefined();
  expect(await refusal(local.client.get(configMaps, where('maybe')))).toMatchObject({ code: 404 });
});

test('an immutable config stays as it is', async () => {
  const created = await local.client.create(configMaps, {
    ...config('fixed', { a: '1' }),
    immutable: true,
  } as ConfigMap);
  expect(
    await refusal(local.client.update(configMaps, { ...created, data: { a: '2' } } as ConfigMap)),
  ).toEqual({
    code: 422,
    reason: 'Invalid',
    message: 'ConfigMap "fixed" is invalid: data: Forbidden: field is immutable when `immutable` is set',
  });
});

test('a config of more than 1 MiB is refused, and a request of more than 3 MiB before it is read', async () => {
  const large = (size: number) => local.client.create(configMaps, config('large', { a: 'x'.repeat(size) }));
  expect(await refusal(large(1024 * 1024 + 1))).toMatchObject({ code: 422 });
  expect(await refusal(large(3 * 1024 * 1024))).toMatchObject({
    code: 413,
    message: 'Request entity too large: limit is 3145728',
  });
});

test('a Deployment gets the defaults of the real server, and applying it again changes nothing', async () => {
  const body = {
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'c', image: 'nginx' }] },
      },
    },
  };
  const created = await local.client.create<KubeObject>(deployments, body);
  expect(created).toMatchObject({
    metadata: { generation: 1 },
    spec: {
      replicas: 1,
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: { spec: { restartPolicy: 'Always', containers: [{ imagePullPolicy: 'Always' }] } },
    },
    status: {},
  });
  const again = await local.client.patch(deployments, where('web'), { type: 'strategic', body });
  expect(again.metadata).toMatchObject({
    generation: 1,
    resourceVersion: created.metadata.resourceVersion,
  });
});

test('status and spec are written by different calls', async () => {
  const body = {
    metadata: { name: 'two', namespace: 'default' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'x:1' }] } },
    },
  };
  await local.client.create(deployments, body);
  const patch = {
    type: 'merge' as const,
    body: { spec: { replicas: 5 }, status: { replicas: 3, readyReplicas: 3 } },
  };
  const status = await local.client.patch(deployments, where('two'), patch, { subresource: 'status' });
  expect(status).toMatchObject({
    metadata: { generation: 1 },
    spec: { replicas: 1 },
    status: { readyReplicas: 3 },
  });
  const spec = await local.client.patch(deployments, where('two'), patch);
  expect(spec).toMatchObject({
    metadata: { generation: 2 },
    spec: { replicas: 5 },
    status: { readyReplicas: 3 },
  });
});

test('a Lease needs the version that it changes', async () => {
  const lease = { metadata: { name: 'l', namespace: 'default' }, spec: { holderIdentity: 'a' } };
  await local.client.create(leases, lease);
  expect(await refusal(local.client.update(leases, lease))).toMatchObject({ code: 422 });
});

test('a pod of a service account that is not there is refused', async () => {
  const pod = {
    metadata: { name: 'p', namespace: 'kube-public' },
    spec: { containers: [{ name: 'c', image: 'x' }] },
  };
  expect(await refusal(local.client.create(pods, pod as KubeObject))).toEqual({
    code: 403,
    reason: 'Forbidden',
    message:
      'pods "p" is forbidden: error looking up service account kube-public/default: serviceaccount "default" not found',
  });
});

test('nothing is created in a namespace that is not there', async () => {
  expect(
    await refusal(local.client.create(configMaps, { metadata: { name: 'x', namespace: 'nowhere' } })),
  ).toEqual({ code: 404, reason: 'NotFound', message: 'namespaces "nowhere" not found' });
});

test('the kubeconfig is for its owner only, and works', async () => {
  expect((await stat(local.server.kubeconfigFile)).mode & 0o777).toBe(0o600);
  const access = await kubeconfigAccess(
    { files: [local.server.kubeconfigFile], mayBeMissing: false },
    undefined,
  );
  const client = httpClient({ access, log: silentLogger });
  await expect(client.get(namespaces, { name: 'default' })).resolves.toMatchObject({
    metadata: { name: 'default' },
  });
  client.close();
});

test('who is not known may see how the server is, and nothing else', async () => {
  const access: ClusterAccess = { ...local.access, headers: async () => ({}) };
  const client = httpClient({ access, log: silentLogger });
  await expect(client.raw({ method: 'GET', path: '/version' })).resolves.toMatchObject({
    major: '1',
    minor: '36',
  });
  expect(await refusal(client.list(configMaps, { namespace: 'default' }))).toMatchObject({
    code: 403,
    reason: 'Forbidden',
  });
  client.close();
});

test('a second server on the same state is told that the first one has it', async () => {
  await expect(startApiServer({ stateDir: local.stateDir, port: 0, log: silentLogger })).rejects.toThrow(
    'the database is in use by another process',
  );
});

test('a restart keeps everything, and kubeconfigs stay good', async () => {
  const own = await startLocalServer();
  const created = await own.client.create<ConfigMap>(configMaps, config('kept', { a: '1' }));
  const { adminToken, authority } = own.server;
  await own.restart();
  expect(await own.client.get(configMaps, where('kept'))).toEqual(created);
  expect(own.server).toMatchObject({ adminToken, authority });
  const next = await own.client.create<ConfigMap>(configMaps, config('later'));
  expect(Number(next.metadata.resourceVersion)).toBeGreaterThan(Number(created.metadata.resourceVersion));
  await own.close();
});
