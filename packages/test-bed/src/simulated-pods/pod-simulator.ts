import type { KubeClient } from '@trimtab/kube/client.ts';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { nodes, pods } from '@trimtab/kube/resource.ts';
import { isAlreadyExists, isConflict, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type {
  ControllerContext,
  LocalController,
} from '@trimtab/local-cluster/controllers/host/local-controller.ts';
import {
  type RunningControllers,
  startControllers,
} from '@trimtab/local-cluster/controllers/host/start-controllers.ts';
import type { Pod } from '@trimtab/local-cluster/objects/pod.ts';
import { timestamp } from '@trimtab/local-cluster/objects/timestamp.ts';
import { kwokNode } from '../cluster/kwok/nodes.ts';
import { nextStage, statusAfter } from './simulated-status.ts';

const nodeCount = 2;

/**
 * Corresponds to KWOK on a level-1 bed: nodes are only objects, and their pods become Ready, fail as their annotation
 * requests, and disappear when they are deleted. No process runs.
 */
export async function simulatePods(
  client: KubeClient,
  clock: Clock = systemClock,
): Promise<RunningControllers> {
  for (let index = 0; index < nodeCount; index++) await addNode(client, index, clock.now());
  const running = startControllers({ client, log: silentLogger, clock }, { 'pod-simulator': simulator });
  await running.ready;
  return running;
}

async function addNode(client: KubeClient, index: number, now: number): Promise<void> {
  const node = kwokNode(index, { tainted: false }) as { metadata: { name: string } };
  await client.create(nodes, node).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  const room = { cpu: '64', memory: '256Gi', pods: '1000' };
  const time = timestamp(now);
  const conditions = [
    {
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
      lastHeartbeatTime: time,
      lastTransitionTime: time,
    },
  ];
  const body = { status: { capacity: room, allocatable: room, conditions } };
  const where = { name: node.metadata.name };
  await client.patch(nodes, where, { type: 'merge', body }, { subresource: 'status' });
  // The API server taints a new node as not ready, and no controller here removes the taint.
  await client.patch(nodes, where, { type: 'merge', body: { spec: { taints: null } } });
}

function simulator({ client, clock, informers }: ControllerContext): LocalController {
  const known = informers.of<Pod>(pods);
  /** Pending stage by pod UID. `seen` identifies the state of the pod: a change of it restarts the delay. */
  const due = new Map<string, { seen: string; at: number }>();
  return {
    name: 'pod-simulator',
    listen: (enqueue) => [
      known.subscribe(({ key, before, after }) => {
        if (after !== undefined) enqueue(key);
        else due.delete(before?.metadata.uid ?? '');
      }),
    ],
    async reconcile(key) {
      const pod = known.get(key);
      if (pod === undefined) return undefined;
      const { namespace = '', name = '', uid = '', deletionTimestamp } = pod.metadata;
      const where = { namespace, name };
      if (deletionTimestamp !== undefined) {
        await client.delete(pods, where, { gracePeriodSeconds: 0, preconditions: { uid } }).catch(ifGone);
        return undefined;
      }
      const next = pod.spec.nodeName === undefined ? undefined : nextStage(pod);
      if (next === undefined) return undefined;
      const seen = `${next.stage} ${JSON.stringify(pod.status?.containerStatuses)}`;
      const waits = due.get(uid);
      const at = waits?.seen === seen ? waits.at : clock.monotonic() + next.delayMs;
      due.set(uid, { seen, at });
      if (at > clock.monotonic()) return { requeueAfterMs: at - clock.monotonic() };
      due.delete(uid);
      const status = statusAfter(next.stage, pod, clock.now());
      await client.update(pods, { ...pod, status }, { subresource: 'status' }).catch(ifGone);
      return undefined;
    },
  };
}

/** Ignores a pod that was deleted, replaced or changed: the watch reports it. */
function ifGone(error: unknown): void {
  if (!isNotFound(error) && !isConflict(error)) throw error;
}
