import type { KubeObject } from '@trimtab/kube/wire.ts';
import { type TreePod, treePod } from '../../src/view/observed-pod.ts';
import { objectOf } from './rollout-in-state.ts';

export interface PodState {
  /** Name of the version of ConfigMap foo that the pod mounts; undefined for the ConfigMap itself. */
  version?: string;
  ready?: boolean;
  restarts?: number;
  terminating?: boolean;
  /** Reason why the container waits, such as CrashLoopBackOff. */
  waiting?: string;
  /** How the container ended. */
  ended?: { exitCode: number; message?: string };
  owner?: { kind: string; name: string };
  readySince?: string;
}

/** A pod of Deployment `name` up to its last two dashes, as the API server shows it. */
export function podInState(name: string, state: PodState = {}): TreePod {
  return treePod(podObject(name, state));
}

function podObject(name: string, state: PodState): KubeObject {
  const { version, ready = true, restarts = 0, terminating, waiting, ended, owner } = state;
  const [, set = '', hash = ''] = /^(.*-([^-]*))-[^-]*$/.exec(name) ?? [];
  const controller = owner ?? { kind: 'ReplicaSet', name: set };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...{ name, namespace: 'shop', uid: name, creationTimestamp: '2026-01-01T11:00:00Z' },
      labels: { 'pod-template-hash': hash },
      ...(controller.kind !== 'Pod' && {
        ownerReferences: [{ apiVersion: 'apps/v1', uid: 'u', controller: true, ...controller }],
      }),
      ...(terminating && { deletionTimestamp: '2026-01-01T12:00:00Z' }),
    },
    spec: {
      containers: [{ name: 'app' }],
      volumes: [{ name: 'foo', configMap: { name: version === undefined ? 'foo' : objectOf(version) } }],
    },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: ready ? 'True' : 'False',
          lastTransitionTime: state.readySince ?? '2026-01-01T12:00:08Z',
        },
      ],
      containerStatuses: [
        {
          name: 'app',
          restartCount: restarts,
          state: waiting === undefined ? { running: {} } : { waiting: { reason: waiting } },
          ...(ended && { lastState: { terminated: ended } }),
        },
      ],
    },
  } as KubeObject;
}
