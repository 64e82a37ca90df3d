import type { KubeClient } from '@trimtab/kube/client.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { nodes, pods } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { openLocalEngine } from '@trimtab/test-bed/engines/local-engine.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Pod } from '../../objects/pod.ts';
import { type RunningControllers, startControllers } from '../host/start-controllers.ts';
import { PodGarbageCollector } from './pod-garbage-collector.ts';

let engine: Engine;
let client: KubeClient;
let namespace: string;
let running: RunningControllers;
const clock = new ManualClock();

beforeAll(async () => {
  engine = await openLocalEngine();
  client = await engine.connect();
  namespace = await engine.namespace();
  running = startControllers(
    { client, log: silentLogger, clock },
    { 'pod-garbage-collector-controller': (context) => new PodGarbageCollector(context) },
  );
  await running.ready;
});

afterAll(async () => {
  await running.close();
  await engine.close();
});

const create = (name: string, nodeName: string) =>
  client.create<Pod>(pods, {
    metadata: { namespace, name },
    spec: { nodeName, containers: [{ name: 'app', image: 'app' }] },
  });

async function isThere(name: string): Promise<boolean> {
  return client.get(pods, { namespace, name }).then(
    () => true,
    (error: unknown) => {
      if (isNotFound(error)) return false;
      throw error;
    },
  );
}

const missed = (count: number) =>
  waitFor(`${count} missing nodes are observed`, async () =>
    clock.pending >= count ? { met: true } : { seen: `${clock.pending} timers` },
  );

test('pods of a node that is missing for long are ended, others are not', async () => {
  await client.create(nodes, { metadata: { name: 'here' } });
  await create('safe', 'here');
  await create('lost', 'never-was');
  await create('early', 'late');
  await missed(2);
  await clock.advance(39_000);
  // This node was only slow to register.
  await client.create(nodes, { metadata: { name: 'late' } });
  expect(await isThere('lost')).toBe(true);
  await clock.advance(1_000);
  await waitFor('pod lost is deleted', async () =>
    (await isThere('lost')) ? { seen: 'still there' } : { met: true },
  );
  expect([await isThere('safe'), await isThere('early')]).toEqual([true, true]);
});

test('when a node is deleted its pods follow', async () => {
  await client.create(nodes, { metadata: { name: 'leaving' } });
  await create('left', 'leaving');
  await client.delete(nodes, { name: 'leaving' });
  await missed(1);
  await clock.advance(40_000);
  await waitFor('pod left is deleted', async () =>
    (await isThere('left')) ? { seen: 'still there' } : { met: true },
  );
});
