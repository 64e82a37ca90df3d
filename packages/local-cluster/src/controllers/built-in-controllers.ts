import { clusterRoleAggregation } from './cluster-roles/aggregation-controller.ts';
import { daemonSetController } from './daemonsets/daemon-set-controller.ts';
import { deploymentController } from './deployments/deployment-controller.ts';
import { EndpointSliceController } from './endpoints/endpoint-slice-controller.ts';
import { GarbageCollector } from './garbage/garbage-collector.ts';
import type { ControllerFactory } from './host/local-controller.ts';
import { PodGarbageCollector } from './pod-garbage/pod-garbage-collector.ts';
import { replicaSetController } from './replicasets/replica-set-controller.ts';
import { replicationController } from './replicationcontrollers/replication-controller.ts';
import { ResourceQuotaController } from './resourcequotas/resource-quota-controller.ts';
import { Scheduler } from './scheduler/scheduler.ts';
import { statefulSetController } from './statefulsets/stateful-set-controller.ts';

/** The controllers of kube-controller-manager and kube-scheduler, keyed by the component name of their Events. */
export const builtInControllers: Record<string, ControllerFactory> = {
  'default-scheduler': (context) => new Scheduler(context),
  'daemonset-controller': daemonSetController,
  'deployment-controller': deploymentController,
  'endpointslice-controller': (context) => new EndpointSliceController(context),
  'garbage-collector-controller': (context) => new GarbageCollector(context),
  'clusterrole-aggregation-controller': clusterRoleAggregation,
  'pod-garbage-collector-controller': (context) => new PodGarbageCollector(context),
  'replicaset-controller': replicaSetController,
  'replication-controller': replicationController,
  'resourcequota-controller': (context) => new ResourceQuotaController(context),
  'statefulset-controller': statefulSetController,
};
