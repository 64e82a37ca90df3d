import type {
  ContainerState,
  ContainerStatus,
  Pod,
  PodCondition,
  PodStatus,
} from '@trimtab/local-cluster/objects/pod.ts';
import { timestamp } from '@trimtab/local-cluster/objects/timestamp.ts';
import { behaviourAnnotation } from './behaviour.ts';

/** The stages of src/cluster/kwok, by name. */
export type Stage = 'ready' | 'unready' | 'crash' | 'back-off' | 'restart' | 'fail' | 'complete' | 'waiting';

const annotation = (pod: Pod, name: string) => pod.metadata.annotations?.[`bed.trimtab.dev/${name}`];
const waitingReasons: Record<string, string> = {
  'config-error': 'CreateContainerConfigError',
  'image-error': 'ImagePullBackOff',
};

/** The next stage of a simulated pod and its delay. Undefined when the pod is in its final state. */
export function nextStage(pod: Pod): { stage: Stage; delayMs: number } | undefined {
  const { phase = 'Pending' } = pod.status ?? {};
  if (phase !== 'Pending' && phase !== 'Running') return undefined;
  const behaviour = pod.metadata.annotations?.[behaviourAnnotation] ?? '';
  const container = pod.status?.containerStatuses?.[0];
  const { waiting, terminated } = container?.state ?? {};
  const isReady =
    pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  const isBackingOff = waiting?.reason === 'CrashLoopBackOff';
  const restarts = container?.restartCount ?? 0;
  const at = (stage: Stage, delayMs = 0) => ({ stage, delayMs });
  if (behaviour === 'fail' || behaviour === 'complete') return at(behaviour);
  if (behaviour === 'crash-loop') {
    if (isBackingOff || (terminated !== undefined && restarts === 0)) return at('restart', backOffMs(pod));
    return terminated === undefined ? at('crash', 200) : at('back-off', 100);
  }
  if (terminated !== undefined) return at('restart', backOffMs(pod));
  if (behaviour === 'crash-once' && container?.ready === true && restarts === 0) return at('crash', 200);
  const reason = waitingReasons[behaviour];
  if (reason !== undefined) return waiting?.reason === reason ? undefined : at('waiting');
  if (behaviour === 'unready')
    return phase === 'Pending' || container?.state.running === undefined || isReady
      ? at('unready')
      : undefined;
  return isReady ? undefined : at('ready');
}

function backOffMs(pod: Pod): number {
  const [, amount, unit] = /^(\d+)(ms|s)$/.exec(annotation(pod, 'back-off') ?? '1s') ?? [];
  return Number(amount) * (unit === 'ms' ? 1 : 1000);
}

/** The status of the pod after that stage. */
export function statusAfter(stage: Stage, pod: Pod, now: number): PodStatus {
  const time = timestamp(now);
  const { status = {} } = pod;
  const isReady = stage === 'ready';
  const changesReadiness = !['back-off', 'restart'].includes(stage);
  const kept = (status.conditions ?? []).filter(({ type }) => !['ContainersReady', 'Ready'].includes(type));
  const conditions: PodCondition[] = ['ContainersReady', 'Ready'].map((type) => ({
    type,
    status: isReady ? 'True' : 'False',
    ...(!isReady && { reason: stage === 'fail' ? 'PodFailed' : 'ContainersNotReady' }),
    lastTransitionTime: time,
  }));
  return {
    ...status,
    phase: phaseAfter(stage, status.phase),
    startTime: status.startTime ?? time,
    ...(changesReadiness && { conditions: [...kept, ...conditions] }),
    containerStatuses: pod.spec.containers.map(({ name, image = '' }) =>
      containerAfter(stage, pod, time, { name, image }),
    ),
  };
}

function phaseAfter(stage: Stage, before: PodStatus['phase']): NonNullable<PodStatus['phase']> {
  if (stage === 'fail') return 'Failed';
  if (stage === 'complete') return 'Succeeded';
  return stage === 'waiting' ? (before ?? 'Pending') : 'Running';
}

function containerAfter(
  stage: Stage,
  pod: Pod,
  time: string,
  { name, image }: { name: string; image: string },
): ContainerStatus {
  const before = pod.status?.containerStatuses?.find((each) => each.name === name);
  const restartCount = (before?.restartCount ?? 0) + (stage === 'restart' ? 1 : 0);
  const wasEnded = before?.state.terminated !== undefined;
  const takesOver = stage === 'back-off' || (stage === 'restart' && wasEnded);
  return {
    name,
    image,
    imageID: '',
    ready: stage === 'ready',
    started: ['ready', 'unready', 'restart'].includes(stage),
    restartCount: ['fail', 'complete'].includes(stage) ? 0 : restartCount,
    lastState: (takesOver ? before?.state : before?.lastState) ?? {},
    state: stateAfter(stage, pod, time),
  };
}

function stateAfter(stage: Stage, pod: Pod, time: string): ContainerState {
  const said = annotation(pod, 'message');
  switch (stage) {
    case 'ready':
    case 'unready':
    case 'restart':
      return { running: { startedAt: time } };
    case 'back-off':
      return { waiting: { reason: 'CrashLoopBackOff', message: 'back-off restarting failed container' } };
    case 'waiting':
      return {
        waiting: {
          reason: waitingReasons[pod.metadata.annotations?.[behaviourAnnotation] ?? ''] ?? '',
          message: said ?? 'the container waits because of annotation bed.trimtab.dev/behaviour',
        },
      };
    case 'complete':
      return { terminated: { exitCode: 0, reason: 'Completed', startedAt: time, finishedAt: time } };
    default:
      return {
        terminated: {
          exitCode: Number(annotation(pod, 'exit-code') ?? 1),
          reason: 'Error',
          message: said ?? 'the container was terminated because of annotation bed.trimtab.dev/behaviour',
          startedAt: time,
          finishedAt: time,
        },
      };
  }
}
