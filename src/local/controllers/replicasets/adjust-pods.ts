import type { KubeClient } from '../../../kube/client.ts';
import type { EventType } from '../../../kube/events/event-object.ts';
import { pods, replicaSets } from '../../../kube/resource.ts';
import type { Pod } from '../../objects/pod.ts';
import type { ReplicaSet } from '../../objects/workloads.ts';
import { errorText, isNamespaceGoing } from '../host/refusal.ts';
import type { Creations } from '../pods/creations.ts';
import type { Deletions } from '../pods/deletions.ts';
import { podFrom } from '../pods/new-pod.ts';
import type { Failure } from './replica-set-status.ts';
import { slowStart } from './slow-start.ts';

export interface Means {
  client: KubeClient;
  creations: Creations;
  deletions: Deletions;
  tell(type: EventType, reason: string, message: string): void;
}

export interface Adjusted {
  made: Pod[];
  deleted: Pod[];
  failure?: Failure;
  /** What made it fail, for whoever decides when to try again. */
  error?: unknown;
}

/** Makes `count` pods, and tells of each. */
export async function makePods(means: Means, set: ReplicaSet, count: number): Promise<Adjusted> {
  const { client, creations, tell } = means;
  const { made, failure: error } = await slowStart(count, async () => {
    try {
      const pod = await client.create(pods, podFrom(set.spec.template, replicaSets, set));
      creations.add(set.metadata.uid ?? '', pod);
      tell('Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
      return pod;
    } catch (error) {
      if (!isNamespaceGoing(error)) tell('Warning', 'FailedCreate', `Error creating: ${errorText(error)}`);
      throw error;
    }
  });
  if (error === undefined || isNamespaceGoing(error)) return { made, deleted: [] };
  return { made, deleted: [], failure: { reason: 'FailedCreate', message: errorText(error) }, error };
}

/** Deletes these pods at the same time, and tells of each. */
export async function deletePods({ deletions, tell }: Means, chosen: readonly Pod[]): Promise<Adjusted> {
  const results = await Promise.allSettled(
    chosen.map(async (pod) => {
      try {
        await deletions.delete(pod);
        tell('Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
        return pod;
      } catch (error) {
        tell('Warning', 'FailedDelete', `Error deleting: ${errorText(error)}`);
        throw error;
      }
    }),
  );
  const deleted = results.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  const failed = results.find((each) => each.status === 'rejected');
  if (failed === undefined) return { made: [], deleted };
  const message = `unable to delete pods: ${errorText(failed.reason)}`;
  return { made: [], deleted, failure: { reason: 'FailedDelete', message }, error: failed.reason };
}
