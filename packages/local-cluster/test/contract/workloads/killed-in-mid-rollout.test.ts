import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@trimtab/kube/http/free-port.ts';
import { LocalClusterProcess } from '@trimtab/test-bed/engines/local-cluster-process.ts';
import { deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { simulatePods } from '@trimtab/test-bed/simulated-pods/pod-simulator.ts';
import { expect, test } from 'vitest';
import type { ReplicaSet } from '../../../src/objects/workloads.ts';
import { hashOf, Stage } from './stage.ts';
import { rolling, template } from './workload-objects.ts';

test('a local cluster that is killed in the middle of a rollout ends it when it is started again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trimtab-killed-'));
  const cluster = new LocalClusterProcess(join(folder, 'state'), await freePort());
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  cleanup.defer(() => cluster.kill());
  cluster.start();
  const client = await cluster.connect();
  cleanup.defer(() => client.close());
  const pods = await simulatePods(client);
  cleanup.defer(() => pods.close());
  const stage = new Stage(client, 'default');
  await stage.create(deployment('web', withReplicas(8), rolling(1, 1)));
  await stage.rolledOut('web');
  await stage.retemplate('web', template('web', 'two'));
  for (const many of [2, 5]) {
    await stage.wait(`${many} new pods exist`, async () => {
      const [, newest] = await stage.sets('web');
      const size = newest?.status?.replicas ?? 0;
      return size >= many ? { met: true } : { seen: `${size}` };
    });
    await cluster.kill();
    cluster.start();
  }
  await stage.rolledOut('web');
  const [, newest] = await stage.sized('web', 0, 8);
  const left = await stage.pods('web');
  expect(left.map(hashOf)).toEqual(Array(8).fill(hashOf(newest as ReplicaSet)));
}, 180_000);
