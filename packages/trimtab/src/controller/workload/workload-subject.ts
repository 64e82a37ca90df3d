import { apiVersion } from '@trimtab/kube/resource.ts';
import type { EventSubject } from '../context.ts';
import { workloadResources } from '../picture/picture.ts';
import type { Workload } from '../picture/workloads.ts';

/** What an Event about a workload points to. */
export function workloadSubject({ kind, namespace, name, uid }: Workload): EventSubject {
  return { apiVersion: apiVersion(workloadResources[kind]), kind, namespace, name, uid };
}
