import type { KubeObject } from '@trimtab/kube/wire.ts';
import { array, choice, type Infer, integer, object, optional, string } from './schema.ts';

/**
 * The custom resource ReloadReport: what the agents in the pods of one workload have told one gateway. Only gateways
 * write reports. The controller merges the reports of all gateways; of two entries of one pod, the one with the higher
 * sequence number counts.
 */
export const reloadReports = {
  group: 'trimtab.dev',
  version: 'v1alpha1',
  kind: 'ReloadReport',
  plural: 'reloadreports',
  namespaced: true,
} as const;

const version = object({
  config: string({ description: 'The config, such as ConfigMap/foo.' }),
  object: string({ description: 'The ConfigMap or Secret that holds the version.' }),
});

const pod = object({
  name: string(),
  uid: string(),
  sequence: integer({ description: 'Increases with every report of the pod.' }),
  runs: array(version, { description: 'The versions that the pod runs.' }),
  refused: optional(
    array(
      object({
        config: string({ description: 'The config, such as ConfigMap/foo.' }),
        object: string({ description: 'The ConfigMap or Secret that holds the refused version.' }),
        reason: string({ description: 'Why the application refused the version.' }),
      }),
      { description: 'The versions that the pod has refused.' },
    ),
  ),
});

const spec = object({
  workload: object(
    { kind: choice(['Deployment', 'StatefulSet', 'DaemonSet']), name: string() },
    { description: 'The workload of the pods.' },
  ),
  gateway: string({ description: 'The process that writes this report.' }),
  pods: array(pod, { description: 'The pods that have reported to this gateway.' }),
});

export const reloadReportSchema = object({ spec });

export type ReportedPod = Infer<typeof pod>;

export interface ReloadReport extends KubeObject {
  spec: Infer<typeof spec>;
}
