import type { EventType } from '@trimtab/kube/events/event-object.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import type { Pod } from '../../objects/pod.ts';
import type { ReplicaSet } from '../../objects/workloads.ts';
import { errorText, isNamespaceGoing } from '../host/refusal.ts';
import { podFrom } from '../pods/new-pod.ts';
import type { OwnedPods } from '../pods/owned-pods.ts';
import type { Failure } from './replica-set-status.ts';
import { slowStart } from './slow-start.ts';

export interface PodWriters {
  /** The resource of the owner. */
  resource: Resource;
  pods: OwnedPods<ReplicaSet>;
  recordEvent(type: EventType, reason: string, message: string): void;
}

export interface Adjusted {
  made: Pod[];
  deleted: Pod[];
  failure?: Failure;
  /** The cause of the failure. The controller throws it to retry with backoff. */
  error?: unknown;
}

/** Creates `count` pods, and records an Event for each. */
export async function makePods(means: PodWriters, set: ReplicaSet, count: number): Promise<Adjusted> {
  const { resource, pods, recordEvent } = means;
  const { made, failure: error } = await slowStart(count, async () => {
    try {
      const pod = await pods.create(set, podFrom(set.spec.template, resource, set));
      recordEvent('Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
      return pod;
    } catch (error) {
      if (!isNamespaceGoing(error))
        recordEvent('Warning', 'FailedCreate', `Error creating: ${errorText(error)}`);
      throw error;
    }
  });
  if (error === undefined || isNamespaceGoing(error)) return { made, deleted: [] };
  return { made, deleted: [], failure: { reason: 'FailedCreate', message: errorText(error) }, error };
}

/** Deletes these pods concurrently, and records an Event for each. */
export async function deletePods(
  { pods, recordEvent }: PodWriters,
  chosen: readonly Pod[],
): Promise<Adjusted> {
  const results = await Promise.allSettled(
    chosen.map(async (pod) => {
      try {
        await pods.delete(pod);
        recordEvent('Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
        return pod;
      } catch (error) {
        recordEvent('Warning', 'FailedDelete', `Error deleting: ${errorText(error)}`);
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
