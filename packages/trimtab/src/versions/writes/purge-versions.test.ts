import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { expect, test } from 'vitest';
import { annotations, labels } from '../../api/names.ts';
import { objectsPerStep } from '../../core/version/version-users.ts';
import { type PurgeWriter, purgeAllVersions, purgeVersion } from './purge-versions.ts';

const address = { kind: 'Secret', namespace: 'shop', name: 'bar' } as const;
const request = { dryRun: false, preconditions: {} };

/** Versions that a deleted ConfigRollout left behind, all with the same value. */
const versions = ['1.0.0', '1.0.1'].map((name, index) => ({
  metadata: {
    ...{ namespace: 'shop', name: `bar-${index}`, uid: `uid-${index}`, resourceVersion: '1' },
    labels: { [labels.config]: 'bar', [labels.versionOf]: 'gone', [labels.state]: 'not-current' },
    annotations: {
      [annotations.version]: name,
      [annotations.sequence]: `${index + 1}`,
      [annotations.config]: 'bar',
      [annotations.contentHash]: 'h',
    },
  },
  data: { password: 'aHVudGVy' },
}));

interface Call {
  verb: string;
  plural: string;
  signal: AbortSignal | undefined;
}

/** A cluster with these versions and as many pods, where alice has all rights, or none to delete. */
function cluster({ podCount = 0, mayDelete = true } = {}) {
  const calls: Call[] = [];
  const left = new Set(versions);
  const pods: KubeObject[] = Array.from({ length: podCount }, (_, n) => ({
    ...{ kind: 'Pod', metadata: { name: `pod-${n}` } },
  }));
  const items = (plural: string): KubeObject[] => {
    if (plural === 'secrets') return [...left];
    return plural === 'pods' ? pods : [];
  };
  const note = (verb: string, { plural }: Resource, options: { signal?: AbortSignal } = {}) => {
    calls.push({ verb, plural, signal: options.signal });
    options.signal?.throwIfAborted();
  };
  const client = {
    async get(resource: Resource, _: object, options: object) {
      note('get', resource, options);
      throw new ApiError(404, { kind: 'Status', apiVersion: 'v1', reason: 'NotFound', code: 404 });
    },
    async list(resource: Resource, options: object) {
      note('list', resource, options);
      return { metadata: {}, items: items(resource.plural) };
    },
    async raw() {
      return { status: { allowed: mayDelete } };
    },
    async patch(resource: Resource) {
      note('patch', resource);
      return { metadata: { resourceVersion: '2' } };
    },
    async delete(resource: Resource, { name }: { name: string }) {
      note('delete', resource);
      for (const each of left) if (each.metadata.name === name) left.delete(each);
    },
  } as unknown as KubeClient;
  const writer = { client, fieldManager: 'test', username: async () => 'alice' };
  return { calls, pods, writer };
}

/** A pod that runs a version. */
function podOf(object: string): KubeObject {
  const spec = { containers: [{ name: 'app', envFrom: [{ secretRef: { name: object } }] }] };
  return { kind: 'Pod', metadata: { name: 'late' }, spec } as KubeObject;
}

test('without the right to delete, what uses the versions is not read', async () => {
  const { calls, writer } = cluster({ podCount: 5_000, mayDelete: false });
  await expect(purgeVersion(writer, address, '1.0.0', request)).rejects.toThrow(
    'needs "delete" on secrets in namespace "shop"',
  );
  expect(new Set(calls.map(({ plural }) => plural))).toEqual(new Set(['configrollouts', 'secrets']));
});

test('a client that leaves ends the reads, and after the first write the purge is completed', async () => {
  const { calls, writer } = cluster();
  const leaving = new AbortController();
  const purging: PurgeWriter = { ...writer, until: leaving.signal, turn: async () => undefined };
  await purgeVersion(purging, address, '1.0.0', request);
  const firstWrite = calls.findIndex(({ verb }) => verb === 'patch');
  const reads = calls.slice(0, firstWrite);
  expect(reads.length).toBeGreaterThan(10);
  for (const { plural, signal } of reads) expect([plural, signal]).toEqual([plural, leaving.signal]);
  for (const { plural, signal } of calls.slice(firstWrite))
    expect([plural, signal]).toEqual([plural, undefined]);

  const again = cluster();
  let isWritten = false;
  const client: KubeClient = {
    ...again.writer.client,
    async patch(...args) {
      isWritten = true;
      return again.writer.client.patch(...args) as never;
    },
  };
  const refusingTurns = async () => {
    if (isWritten) throw new Error('the client disconnected');
  };
  const { version } = await purgeVersion(
    { ...again.writer, client, turn: refusingTurns },
    address,
    '1.0.0',
    request,
  );
  expect(version.name).toBe('1.0.0');
  expect(again.calls.map(({ verb }) => verb)).toContain('delete');
});

test('the references of 5,000 pods are read in as many turns, however many versions are purged', async () => {
  const { writer } = cluster({ podCount: 5_000 });
  let turns = 0;
  const turn = async () => {
    turns += 1;
  };
  const purged = await purgeAllVersions({ ...writer, turn }, address, { dryRun: true });
  expect(purged.deleted).toHaveLength(2);
  const [perRead, perVersion] = [5_000 / objectsPerStep + 2, 4];
  expect(turns).toBeGreaterThanOrEqual(5_000 / objectsPerStep);
  expect(turns).toBeLessThanOrEqual(perRead + 2 * perVersion);
});

test('other versions that hold the same value are named', async () => {
  const { writer } = cluster();
  const { warnings } = await purgeVersion(writer, address, '1.0.0', request);
  expect(warnings).toEqual([
    'other versions of Secret bar still have values of version 1.0.0: 1.0.1 in "password". If one of them leaked, purge these versions, too',
  ]);
  const next = ['1.0.0', '1.0.1'];
  const first = await purgeVersion({ ...cluster().writer, next }, address, '1.0.0', request);
  expect(first.warnings).toEqual([]);
  const all = await purgeAllVersions(cluster().writer, address, request);
  expect(all).toMatchObject({ warnings: [], kept: [] });
});

test('while the policy denies the deletion, what uses the version is read again before each attempt', async () => {
  const { calls, pods, writer } = cluster();
  let attempts = 0;
  const client: KubeClient = {
    ...writer.client,
    async delete(...args) {
      attempts += 1;
      if (attempts === 3) return writer.client.delete(...args);
      if (attempts === 4) pods.push(podOf('bar-1'));
      throw new ApiError(422, { kind: 'Status', apiVersion: 'v1', reason: 'Invalid', code: 422 });
    },
  };
  const before = (verb: string, plural: string) =>
    calls.filter((each) => each.verb === verb && each.plural === plural).length;
  await purgeVersion({ ...writer, client }, address, '1.0.0', request);
  expect([attempts, before('list', 'pods')]).toEqual([3, 4]);
  await expect(purgeVersion({ ...writer, client }, address, '1.0.1', request)).rejects.toThrow(
    'pod late runs the version',
  );
  expect(attempts).toBe(4);
});
