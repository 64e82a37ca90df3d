import { pods, replicaSets } from '@trimtab/kube/resource.ts';
import { deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { type Moment, StateRecording } from '@trimtab/test-bed/watching/state-recording.ts';
import { expect } from 'vitest';
import { isReady } from '../../../src/controllers/pods/pod-state.ts';
import type { Pod } from '../../../src/objects/pod.ts';
import type { ReplicaSet } from '../../../src/objects/workloads.ts';
import type { Stage } from './stage.ts';
import { rolling, template } from './workload-objects.ts';

export interface Limits {
  replicas: number;
  maxSurge: number | string;
  maxUnavailable: number | string;
}

/** The minimum of available pods and the maximum of pods, computed independently of the controller. */
function bounds({ replicas, maxSurge, maxUnavailable }: Limits): { least: number; most: number } {
  const part = (amount: number | string) =>
    typeof amount === 'number' ? amount : (replicas * Number(amount.slice(0, -1))) / 100;
  const up = Math.ceil(part(maxSurge));
  const down = Math.floor(part(maxUnavailable));
  return { least: replicas - (up + down === 0 ? 1 : Math.min(down, replicas)), most: replicas + up };
}

/**
 * Rolls out an update and checks every observed state: the ReplicaSets never request more pods than allowed, and never
 * fewer pods are available than required. The pods themselves may briefly exceed the maximum by one, on Kubernetes too,
 * because an old pod is deleted and a new one is created by two controllers that do not wait for each other.
 */
export async function staysWithin(stage: Stage, name: string, limits: Limits): Promise<number> {
  const { replicas, maxSurge, maxUnavailable } = limits;
  const { least, most } = bounds(limits);
  await stage.create(deployment(name, withReplicas(replicas), rolling(maxSurge, maxUnavailable)));
  await stage.rolledOut(name);
  const selection = { namespace: stage.namespace, labelSelector: `app=${name}` };
  await using sets = await StateRecording.start<ReplicaSet>(stage.client, replicaSets, selection);
  await using running = await StateRecording.start<Pod>(stage.client, pods, selection);
  await stage.retemplate(name, template(name, 'two'));
  await stage.rolledOut(name);
  const asked = (await sets.moments()).map(podsAskedFor);
  const available = (await running.moments()).map(podsAvailable);
  const what = JSON.stringify(limits);
  expect(Math.max(...asked), `${what}: most pods asked for, of ${asked}`).toBeLessThanOrEqual(most);
  expect(Math.min(...available), `${what}: least available, of ${available}`).toBeGreaterThanOrEqual(least);
  await stage.sized(name, 0, replicas);
  return asked.length + available.length;
}

function podsAskedFor(moment: Moment<ReplicaSet>): number {
  return [...moment.values()].reduce((sum, { spec }) => sum + spec.replicas, 0);
}

function podsAvailable(moment: Moment<Pod>): number {
  const isThere = (pod: Pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined;
  return [...moment.values()].filter(isThere).length;
}
