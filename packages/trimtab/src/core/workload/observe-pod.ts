import type { KubeObject } from '@trimtab/kube/wire.ts';
import { labels } from '../../api/names.ts';
import type { PodSpec } from '../../api/pod-template.ts';
import { type ConfigKey, configKey } from '../references/config-key.ts';
import { type ConfigKind, findReferences } from '../references/references.ts';
import { configsToRewrite } from '../references/rewrite-pod.ts';
import type { ObservedContainer, ObservedPod, Termination } from './observed.ts';

/** A pod, reduced to its owner, the configs that it references and its health. */
export interface Pod extends ObservedPod {
  namespace: string;
  /** Uid of the ReplicaSet, StatefulSet or DaemonSet; '' for a bare pod. */
  ownerUid: string;
  references: { kind: ConfigKind; name: string }[];
  /** Configs that the pod names although its annotation assigns versions of them; undefined when there are none. */
  notRewritten?: ConfigKey[];
  /** The pod has the agent, which reloads it. */
  isInjected: boolean;
}

interface PodObject extends KubeObject {
  spec?: PodSpec;
  status?: {
    reason?: string;
    message?: string;
    conditions?: {
      type: string;
      status: string;
      reason?: string;
      message?: string;
      lastTransitionTime?: string;
    }[];
    initContainerStatuses?: ContainerStatus[];
    containerStatuses?: ContainerStatus[];
  };
}

interface ContainerStatus {
  name: string;
  restartCount?: number;
  state?: ContainerState;
  lastState?: ContainerState;
}

interface ContainerState {
  running?: { startedAt?: string };
  waiting?: { reason?: string; message?: string };
  terminated?: Termination;
}

export function pod(object: KubeObject): Pod {
  const { metadata, spec = {}, status = {} } = object as PodObject;
  const condition = (type: string) => status.conditions?.find((each) => each.type === type);
  const scheduled = condition('PodScheduled');
  const ready = condition('Ready');
  const lost =
    status.reason === 'NodeLost' ||
    ready?.reason === 'NodeNotReady' ||
    condition('DisruptionTarget')?.status === 'True';
  const live = new Set((spec.containers ?? []).filter((each) => each.livenessProbe).map(({ name }) => name));
  const statuses = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const notRewritten = configsToRewrite({ metadata, spec });
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    ownerUid: metadata.ownerReferences?.find(({ controller }) => controller)?.uid ?? '',
    references: distinct(findReferences({ spec })),
    ...(notRewritten.length > 0 && { notRewritten }),
    isInjected: metadata.labels?.[labels.injected] === 'true',
    ready: ready?.status === 'True',
    terminating: metadata.deletionTimestamp !== undefined,
    unschedulable:
      scheduled?.status === 'False' && scheduled.reason === 'Unschedulable'
        ? (scheduled.message ?? '')
        : undefined,
    nodeProblem: lost ? (status.message ?? ready?.message ?? 'the node was lost or drained') : undefined,
    containers: statuses.map((each) =>
      container(each, live.has(each.name), ready?.status === 'False' ? ready.lastTransitionTime : undefined),
    ),
  };
}

function container(
  { name, restartCount, state, lastState }: ContainerStatus,
  hasLivenessProbe: boolean,
  lostReadyAt: string | undefined,
): ObservedContainer {
  const waiting = state?.waiting;
  const startedAt = state?.running?.startedAt;
  // A crash takes readiness before the next start. The kubelet writes both times, in a form that sorts by time.
  const recovered = startedAt !== undefined && lostReadyAt !== undefined && lostReadyAt > startedAt;
  return {
    name,
    restarts: restartCount ?? 0,
    hasLivenessProbe,
    ...(recovered && { recovered }),
    waiting: waiting?.reason === undefined ? undefined : { reason: waiting.reason, message: waiting.message },
    terminated: termination(state?.terminated),
    lastTerminated: termination(lastState?.terminated),
  };
}

function termination(ended: Termination | undefined): Termination | undefined {
  return ended && { exitCode: ended.exitCode, reason: ended.reason, message: ended.message };
}

export function distinct(
  references: readonly { kind: ConfigKind; name: string }[],
): { kind: ConfigKind; name: string }[] {
  const byKey = new Map(references.map(({ kind, name }) => [configKey(kind, name), { kind, name }]));
  return [...byKey.values()];
}
