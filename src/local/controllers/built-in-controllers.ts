import { clusterRoleAggregation } from './cluster-roles/aggregation-controller.ts';
import type { ControllerFactory } from './host/local-controller.ts';

/** What kube-controller-manager and the scheduler do on a real cluster, by the name that signs their Events. */
export const builtInControllers: Record<string, ControllerFactory> = {
  'clusterrole-aggregation-controller': clusterRoleAggregation,
};
