import { apiVersion, workloadResources } from '@trimtab/kube/resource.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import type { EventSubject } from '../context.ts';

/** Returns the involved object for an Event about a workload. */
export function workloadSubject({ kind, namespace, name, uid }: Workload): EventSubject {
  return { apiVersion: apiVersion(workloadResources[kind]), kind, namespace, name, uid };
}
