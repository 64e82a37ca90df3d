import type { KubeClient } from '@trimtab/kube/client.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { expect, test } from 'vitest';
import { annotations, labels } from '../../api/names.ts';
import type { ClusterWatches, PodNames } from '../streams/cluster-watches.ts';
import { PodConfigs } from './pod-configs.ts';

const object = 'bar-abcdefghij';
const address = { kind: 'Secret', namespace: 'shop', name: 'bar' } as const;
const caller = { kind: 'pod', namespace: 'shop', name: 'web', uid: 'pod-uid' } as never;
const { signal } = new AbortController();

const version = {
  metadata: {
    ...{ namespace: 'shop', name: object, uid: 'uid' },
    labels: { [labels.config]: 'bar', [labels.versionOf]: 'rollout' },
    annotations: {
      [annotations.version]: '1.0.0',
      [annotations.sequence]: '1',
      [annotations.config]: 'bar',
      [annotations.contentHash]: 'h',
    },
  },
  immutable: true,
  data: { password: 'aHVudGVy' },
};

/** The gateway of a namespace where a pod names a version, which exists until it is purged. */
function gateway() {
  const pod: PodNames = {
    ...{ uid: 'pod-uid', hasNode: true, endedAs: undefined, isInjected: false, workload: undefined },
    grants: new Map([[`Secret/${object}`, 'all']]),
  };
  const rollout = { uid: 'rollout', resourceVersion: '7', current: undefined, target: undefined };
  const watches = {
    pods: async () => ({ cache: new Map([['shop/web', pod]]) }),
    rollouts: async () => ({ cache: new Map([['shop/secret-bar', rollout]]) }),
  } as unknown as ClusterWatches;
  let isPurged = false;
  let reads = 0;
  const client = {
    async get(_: unknown, { name }: { name: string }) {
      if (name === object) reads += 1;
      if (name === object && !isPurged) return structuredClone(version);
      throw new ApiError(404, { kind: 'Status', apiVersion: 'v1', reason: 'NotFound', code: 404 });
    },
    async list() {
      return { metadata: {}, items: [] };
    },
  } as unknown as KubeClient;
  const clock = new ManualClock();
  const configs = new PodConfigs(client, watches, true, clock);
  const read = async () => {
    const source = await configs.source(caller, address, signal);
    return (await (await source.now(signal))?.read(signal))?.text;
  };
  const purge = () => {
    isPurged = true;
  };
  return { clock, configs, read, purge, reads: () => reads };
}

test('the content of a version is read once for many requests', async () => {
  const { clock, read, reads } = gateway();
  for (let request = 0; request < 5; request++) {
    expect(await read()).toContain('aHVudGVy');
    await clock.advance(1_000);
  }
  expect(reads()).toBe(1);
});

test('a pod that names a purged version gets its content for a minute at most', async () => {
  const { clock, configs, read, purge } = gateway();
  const source = await configs.source(caller, address, signal);
  await clock.advance(29_000);
  // What is shown is created from content that is about to expire.
  expect(await read()).toContain('aHVudGVy');
  purge();
  await clock.advance(31_000);
  await expect(source.now(signal).then((applied) => applied?.read(signal))).rejects.toThrow('does not exist');
  await expect(read()).rejects.toThrow('references neither the Secret "bar" nor a version of it');
});
