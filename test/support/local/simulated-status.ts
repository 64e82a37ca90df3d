import type { ContainerStatus, Pod, PodCondition, PodStatus } from '../../../src/local/objects/pod.ts';
import { timestamp } from '../../../src/local/objects/timestamp.ts';
import { behaviourAnnotation } from '../objects/behaviour.ts';

/** How far a simulated pod gets; what nobody asked to misbehave is Ready. */
type Fate = 'ready' | 'unready' | 'waiting' | 'failed' | 'complete';

const fates: Record<string, Fate> = {
  unready: 'unready',
  'crash-loop': 'waiting',
  'config-error': 'waiting',
  'image-error': 'waiting',
  fail: 'failed',
  complete: 'complete',
};

const waitingReasons: Record<string, string> = {
  'crash-loop': 'CrashLoopBackOff',
  'config-error': 'CreateContainerConfigError',
  'image-error': 'ImagePullBackOff',
};

/** What the pod's status becomes next; undefined when it is what it should be. The same ends as test/cluster/kwok has. */
export function simulatedStatus(pod: Pod, now: number): PodStatus | undefined {
  const { status = {} } = pod;
  if (status.phase === 'Failed' || status.phase === 'Succeeded') return undefined;
  const behaviour = pod.metadata.annotations?.[behaviourAnnotation] ?? '';
  const fate = fates[behaviour] ?? 'ready';
  const phase =
    fate === 'failed'
      ? 'Failed'
      : fate === 'complete'
        ? 'Succeeded'
        : fate === 'waiting'
          ? 'Pending'
          : 'Running';
  const isReady = fate === 'ready';
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  if (status.phase === phase && (ready?.status === 'True') === isReady && ready !== undefined)
    return undefined;
  const time = timestamp(now);
  const others = (status.conditions ?? []).filter(
    ({ type }) => type !== 'Ready' && type !== 'ContainersReady',
  );
  const conditions: PodCondition[] = ['ContainersReady', 'Ready'].map((type) => ({
    type,
    status: isReady ? 'True' : 'False',
    ...(!isReady && { reason: 'ContainersNotReady' }),
    lastTransitionTime: time,
  }));
  return {
    ...status,
    phase,
    startTime: status.startTime ?? time,
    conditions: [...others, ...conditions],
    containerStatuses: pod.spec.containers.map(({ name, image = '' }) => ({
      name,
      image,
      imageID: '',
      ready: isReady,
      started: phase === 'Running',
      restartCount: 0,
      lastState: {},
      state: stateOf(fate, waitingReasons[behaviour] ?? '', time),
    })),
  };
}

function stateOf(fate: Fate, reason: string, time: string): ContainerStatus['state'] {
  if (fate === 'waiting') return { waiting: { reason } };
  if (fate === 'ready' || fate === 'unready') return { running: { startedAt: time } };
  const exitCode = fate === 'failed' ? 1 : 0;
  return { terminated: { exitCode, startedAt: time, finishedAt: time } };
}
