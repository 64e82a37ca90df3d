import { clusterRoleAggregation } from './cluster-roles/aggregation-controller.ts';
import { GarbageCollector } from './garbage/garbage-collector.ts';
import type { ControllerFactory } from './host/local-controller.ts';

/** What kube-controller-manager and the scheduler do on a real cluster, by the name that signs their Events. */
export const builtInControllers: Record<string, ControllerFactory> = {
  'garbage-collector-controller': (context) => new GarbageCollector(context),
  'clusterrole-aggregation-controller': clusterRoleAggregation,
};
