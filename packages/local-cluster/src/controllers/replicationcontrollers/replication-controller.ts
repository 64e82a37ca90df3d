import type { Resource } from '@trimtab/kube/resource.ts';
import type { ReplicaSet, ReplicationController } from '../../objects/workloads.ts';
import type { Informer } from '../host/informers.ts';
import type { ControllerContext, LocalController } from '../host/local-controller.ts';
import { ReplicaSetController } from '../replicasets/replica-set-controller.ts';

const replicationControllers: Resource = {
  group: '',
  version: 'v1',
  plural: 'replicationcontrollers',
  kind: 'ReplicationController',
  namespaced: true,
};

/**
 * Keeps the desired number of pods running for each ReplicationController. As in Kubernetes, it is the ReplicaSet
 * controller, which reads a ReplicationController as a ReplicaSet with the same selector.
 */
export function replicationController(context: ControllerContext): LocalController {
  return new ReplicaSetController(context, {
    name: 'replication-controller',
    resource: replicationControllers,
    sets: asReplicaSets(context.informers.of(replicationControllers)),
    stored,
    countsTerminating: false,
  });
}

function asReplicaSets(controllers: Informer<ReplicationController>): Informer<ReplicaSet> {
  return {
    get: (key) => {
      const found = controllers.get(key);
      return found && replicaSetOf(found);
    },
    all: () => controllers.all().map(replicaSetOf),
    inNamespace: (namespace) => controllers.inNamespace(namespace).map(replicaSetOf),
    controlledBy: (uid) => controllers.controlledBy(uid).map(replicaSetOf),
    orphansIn: (namespace) => controllers.orphansIn(namespace).map(replicaSetOf),
    subscribe: (handler) =>
      controllers.subscribe(({ key, before, after }) =>
        handler({
          key,
          ...(before && { before: replicaSetOf(before) }),
          ...(after && { after: replicaSetOf(after) }),
        }),
      ),
  };
}

function replicaSetOf({ spec, ...rest }: ReplicationController): ReplicaSet {
  return { ...rest, spec: { ...spec, selector: { matchLabels: spec.selector } } };
}

function stored({ spec, ...rest }: ReplicaSet): ReplicationController {
  return { ...rest, spec: { ...spec, selector: spec.selector.matchLabels ?? {} } };
}
