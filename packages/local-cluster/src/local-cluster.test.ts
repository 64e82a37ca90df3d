import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { configMaps, namespaces, pods } from '@trimtab/kube/resource.ts';
import { isForbidden, isNotFound } from '@trimtab/kube/transport/errors.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiServer } from './apiserver/server.ts';
import { readKeys } from './etcdctl/read-keys.ts';
import { startLocalCluster } from './local-cluster.ts';

interface Deleted extends KubeObject {
  status: { conditions?: { type: string; message: string }[] };
}

let stateDir: string;
let cluster: ApiServer;
let client: KubeClient & { close(): void };

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'test-cluster-'));
  cluster = await startLocalCluster({ stateDir, port: 0, log: silentLogger });
  client = httpClient({
    access: await loadAccess({ kubeconfig: cluster.kubeconfigFile }),
    log: silentLogger,
  });
});

afterAll(async () => {
  client.close();
  await cluster.close();
  await rm(stateDir, { recursive: true, force: true });
});

const gone = (error: unknown) => {
  if (isNotFound(error)) return undefined;
  throw error;
};

async function furnished(namespace: string): Promise<void> {
  await waitFor(`namespace ${namespace} has its service account and CA bundle`, async () => {
    const trust = await client.get(configMaps, { namespace, name: 'kube-root-ca.crt' }).catch(gone);
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
    const account = await client.raw({ method: 'GET', path }).catch(gone);
    return trust && account ? { met: true } : { seen: 'something is missing' };
  });
}

test('a new namespace gets what pods need', async () => {
  await client.create(namespaces, { metadata: { name: 'fresh' } });
  await furnished('fresh');
});

test('what pods need in a namespace comes back when somebody deletes or changes it', async () => {
  const namespace = 'tidy';
  await client.create(namespaces, { metadata: { name: namespace } });
  await furnished(namespace);
  const bundle = { namespace, name: 'kube-root-ca.crt' };
  const before = await client.get<KubeObject & { data: object }>(configMaps, bundle);
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
  const account = await client.raw<KubeObject>({ method: 'GET', path });
  await client.delete(configMaps, bundle);
  await client.raw({ method: 'DELETE', path });
  await waitFor('both objects are created again', async () => {
    const trust = await client.get(configMaps, bundle).catch(gone);
    const other = await client.raw<KubeObject>({ method: 'GET', path }).catch(gone);
    const isNew = trust?.metadata.uid !== before.metadata.uid && other?.metadata.uid !== account.metadata.uid;
    return trust && other && isNew ? { met: true } : { seen: 'something is missing' };
  });
  await client.patch(configMaps, bundle, { type: 'merge', body: { data: { 'ca.crt': 'mine', more: '' } } });
  await waitFor('the CA bundle is restored', async () => {
    const { data } = await client.get<KubeObject & { data: object }>(configMaps, bundle);
    return JSON.stringify(data) === JSON.stringify(before.data)
      ? { met: true }
      : { seen: Object.keys(data).join() };
  });
});

test('an aggregated role shows the rules of the roles that it selects, and loses them with these', async () => {
  const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
  const read = async () =>
    (await client.raw<{ rules: unknown }>({ method: 'GET', path: `${path}/sum` })).rules;
  const shows = (expected: unknown) =>
    waitFor('the aggregated rules are written', async () => {
      const found = JSON.stringify(await read());
      return found === JSON.stringify(expected) ? { met: true } : { seen: found };
    });
  const sum = {
    metadata: { name: 'sum' },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: 'yes' } }] },
  };
  await client.raw({ method: 'POST', path, body: sum });
  const part = { metadata: { name: 'part', labels: { part: 'yes' } }, rules };
  await client.raw({ method: 'POST', path, body: part });
  await shows(rules);
  await client.raw({ method: 'DELETE', path: `${path}/part` });
  await shows(null);
});

test('of a namespace that is deleted, pods go first, and its status tells what it waits for', async () => {
  await client.create(namespaces, { metadata: { name: 'ordered' } });
  await furnished('ordered');
  const hold = { namespace: 'ordered', finalizers: ['test.dev/hold'] };
  const spec = { schedulerName: 'nobody', containers: [{ name: 'app', image: 'app' }] };
  const pod = { metadata: { ...hold, name: 'first' }, spec };
  await client.create(pods, pod);
  await client.create(configMaps, { metadata: { ...hold, name: 'later' } });
  await client.delete(namespaces, { name: 'ordered' });
  const conditions = async () => {
    const { status } = await client.get<Deleted>(namespaces, { name: 'ordered' });
    return (status.conditions ?? []).map(({ type, message }) => `${type}: ${message}`);
  };
  const until = (text: string) =>
    waitFor(`the namespace has condition ${text}`, async () => {
      const told = await conditions();
      return told.includes(text) ? { met: true } : { seen: told.join('\n') };
    });
  await until('NamespaceContentRemaining: All content successfully removed');
  const later = { namespace: 'ordered', name: 'later' };
  expect((await client.get(configMaps, later)).metadata.deletionTimestamp).toBeUndefined();
  const release = { type: 'merge', body: { metadata: { finalizers: null } } } as const;
  await client.patch(pods, { namespace: 'ordered', name: 'first' }, release);
  await until(
    'NamespaceContentRemaining: Some resources are remaining: configmaps. has 1 resource instances',
  );
  await client.patch(configMaps, later, release);
  await waitFor('the namespace is gone', async () =>
    (await client.get(namespaces, { name: 'ordered' }).catch(gone)) === undefined
      ? { met: true }
      : { seen: (await conditions().catch(() => [])).join('\n') },
  );
});

test('a namespace that is deleted takes everything in it along, and waits for finalizers', async () => {
  await client.create(namespaces, { metadata: { name: 'old' } });
  await furnished('old');
  const where = { namespace: 'old', name: 'held' };
  await client.create(configMaps, { metadata: { ...where, finalizers: ['test.dev/hold'] } });
  await client.create(configMaps, { metadata: { namespace: 'old', name: 'free' } });
  await client.delete(namespaces, { name: 'old' });
  await waitFor('only the object with a finalizer is left', async () => {
    const { items } = await client.list(configMaps, { namespace: 'old' });
    return items.length === 1 ? { met: true } : { seen: `${items.length} configs` };
  });
  const refused = await client.create(configMaps, { metadata: { namespace: 'old', name: 'late' } }).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(isForbidden(refused)).toBe(true);
  expect(String(refused)).toContain(
    'unable to create new content in namespace old because it is being terminated',
  );
  await client.patch(configMaps, where, { type: 'merge', body: { metadata: { finalizers: null } } });
  await waitFor('the namespace is gone', async () => {
    const found = await client.get(namespaces, { name: 'old' }).catch(gone);
    return found === undefined ? { met: true } : { seen: 'still there' };
  });
});

test('`local get` reads a key while the server runs, and after', async () => {
  const created = await client.create<KubeObject>(configMaps, {
    metadata: { namespace: 'default', name: 'seen' },
  });
  const revision = Number(created.metadata.resourceVersion);
  const key = '/registry/configmaps/default/seen';
  const read = (prefix: boolean, wanted = key) => readKeys(stateDir, { key: wanted, prefix }, silentLogger);
  const stored = { key, revision, createRevision: revision, version: 1 };
  const answer = await read(false);
  expect(answer).toMatchObject({ items: [stored], cluster: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  expect(answer.revision).toBeGreaterThanOrEqual(revision);
  expect(JSON.parse(answer.items[0]?.value ?? '')).toEqual(created);
  expect(await read(true)).toMatchObject({ items: [stored] });
  expect(await read(true, key.slice(0, -1))).toMatchObject({ items: [stored] });
  expect((await read(false, '/registry/configmaps/default/nope')).items).toEqual([]);
  expect((await read(false, key.slice(0, -1))).items).toEqual([]);
  await cluster.close();
  try {
    expect(await read(false)).toMatchObject({ items: [stored], cluster: answer.cluster });
    expect(await read(true, key.slice(0, -1))).toMatchObject({ items: [stored] });
  } finally {
    cluster = await startLocalCluster({ stateDir, port: 0, log: silentLogger });
  }
});

test('a cluster whose node does not start leaves nothing open: its folder can be used again at once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'local-cluster-'));
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  // A file at the path where the kubelet creates its folder makes the node fail to start.
  await writeFile(join(folder, 'kubelet'), '');
  await expect(startLocalCluster({ stateDir: folder, node: {} })).rejects.toThrow();
  const cluster = await startLocalCluster({ stateDir: folder });
  await cluster.close();
});
