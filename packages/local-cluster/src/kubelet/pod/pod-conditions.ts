import type { ContainerStatus, Pod, PodCondition, PodPhase } from '../../objects/pod.ts';
import { containersOf, type PodContainer } from './container-roles.ts';

type Verdict = Pick<PodCondition, 'status' | 'reason' | 'message'>;
type Statuses = ReadonlyMap<string, ContainerStatus>;

/** The conditions that the kubelet owns, in the kubelet's order, without their times. */
export function podConditions(
  pod: Pod,
  statuses: Statuses,
  phase: PodPhase,
  isPlaced: boolean,
): (Verdict & { type: string })[] {
  const containersReady = containersReadyCondition(pod, statuses, phase);
  return [
    { type: 'PodReadyToStartContainers', status: isPlaced ? 'True' : 'False' },
    { type: 'Initialized', ...initializedCondition(pod, statuses, phase) },
    { type: 'Ready', ...readyCondition(pod, containersReady) },
    { type: 'ContainersReady', ...containersReady },
    { type: 'PodScheduled', status: 'True' },
  ];
}

function containersReadyCondition({ spec }: Pod, statuses: Statuses, phase: PodPhase): Verdict {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const unready = namesOf(
    containersOf(spec).filter((each) => each.role !== 'init' && !statuses.get(each.container.name)?.ready),
  );
  if (unready.length === 0) return { status: 'True' };
  return {
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${unready.join(' ')}]`,
  };
}

function readyCondition({ spec, status }: Pod, containersReady: Verdict): Verdict {
  if (containersReady.status !== 'True') return containersReady;
  const problems = (spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const found = status?.conditions?.find(({ type }) => type === conditionType);
    if (found === undefined)
      return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (found.status === 'True') return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${found.status}`];
  });
  if (problems.length === 0) return { status: 'True' };
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: problems.join(', ') };
}

function initializedCondition({ spec }: Pod, statuses: Statuses, phase: PodPhase): Verdict {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' };
  const all = containersOf(spec);
  if (hasMainStarted(all, statuses)) return { status: 'True' };
  const incomplete = namesOf(
    all.filter(({ role, container }) => {
      const status = statuses.get(container.name);
      return role === 'sidecar' ? !status?.started : role === 'init' && !status?.ready;
    }),
  );
  if (incomplete.length === 0) return { status: 'True' };
  return {
    status: 'False',
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: [${incomplete.join(' ')}]`,
  };
}

/** A pod with a started main container has been initialized, even while a sidecar restarts. */
function hasMainStarted(all: readonly PodContainer[], statuses: Statuses): boolean {
  return all.some(({ role, container }) => {
    const { running, terminated } = statuses.get(container.name)?.state ?? {};
    return role === 'main' && (running !== undefined || terminated !== undefined);
  });
}

function namesOf(containers: readonly PodContainer[]): string[] {
  return containers.map(({ container }) => container.name);
}
