import type { ContainerStatus, PodCondition, PodPhase, PodStatus } from '../../objects/pod.ts';
import { phaseOf } from './container-record.ts';
import { containersOf, type PodContainer } from './container-roles.ts';
import { containerStatus, timeText } from './container-status.ts';
import type { PodPlan } from './plan-pod.ts';
import { podConditions } from './pod-conditions.ts';
import { podPhase } from './pod-phase.ts';
import type { PodView } from './pod-view.ts';

const deadlineMessage = 'Pod was active on the node longer than the specified deadline';

/**
 * The status to write to the API. `known` is the last written or requested status: a condition keeps its transition
 * time while it is unchanged, and a final phase never changes.
 */
export function podStatus(view: PodView, plan: PodPlan, known: PodStatus): PodStatus {
  const { pod, now } = view;
  const all = containersOf(pod.spec);
  const isEnding = plan.ending !== undefined;
  const found = all.map((each) => containerStatus(view, each, isEnding));
  const statuses = new Map(found.map((status) => [status.name, status]));
  const natural = phaseNow(view, plan, known, statuses);
  // A pod that ended without a final phase has failed. Its conditions still follow from the original phase.
  const phase = plan.ended && !isFinal(natural) ? 'Failed' : natural;
  const listed = plan.ended ? found.map((each, index) => lostIfNone(each, all, index, statuses)) : found;
  const isPlaced = view.placed && !plan.ended;
  const conditions = podConditions(pod, statuses, natural, isPlaced).map((each) =>
    dated(each, known, now, pod.metadata.generation),
  );
  const inits = listed.filter((_, index) => all[index]?.role !== 'main');
  const mains = listed.filter((_, index) => all[index]?.role === 'main');
  return {
    phase,
    ...whyOf(plan, phase, known),
    ...(pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
    hostIP: view.hostIP,
    hostIPs: [{ ip: view.hostIP }],
    ...(view.podIP !== undefined && { podIP: view.podIP, podIPs: [{ ip: view.podIP }] }),
    startTime: timeText(view.startedAt),
    conditions,
    ...(inits.length > 0 && { initContainerStatuses: inits }),
    containerStatuses: mains.sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function phaseNow(
  view: PodView,
  { ending, ended }: PodPlan,
  known: PodStatus,
  statuses: Parameters<typeof podPhase>[1],
): PodPhase {
  for (const phase of [view.pod.status?.phase, known.phase]) if (isFinal(phase)) return phase;
  if (ending === 'deadline') return 'Failed';
  const wasInitialized = containersOf(view.pod.spec).some(({ role, container }) => {
    const record = view.records.get(container.name);
    return role === 'main' && phaseOf(record) !== 'none' && !record?.fromBefore;
  });
  return podPhase(view.pod, statuses, { isTerminal: ended, wasInitialized });
}

/** At the end of a pod, a main container that could have run but has no exit is reported as ContainerStatusUnknown. */
function lostIfNone(
  status: ContainerStatus,
  all: readonly PodContainer[],
  index: number,
  statuses: ReadonlyMap<string, ContainerStatus>,
): ContainerStatus {
  const couldRun = all.every(({ role, container }) => {
    const { started, state } = statuses.get(container.name) ?? {};
    return (
      role === 'main' || (role === 'init' ? state?.terminated?.exitCode === 0 : started || state?.terminated)
    );
  });
  if (all[index]?.role !== 'main' || status.state.terminated !== undefined || !couldRun) return status;
  const message = 'The container could not be located when the pod was terminated';
  return { ...status, state: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown', message } } };
}

function whyOf(
  { ending }: PodPlan,
  phase: PodPhase,
  known: PodStatus,
): Pick<PodStatus, 'reason' | 'message'> {
  if (ending === 'deadline') return { reason: 'DeadlineExceeded', message: deadlineMessage };
  if (known.phase !== phase) return {};
  const { reason, message } = known;
  return { ...(reason !== undefined && { reason }), ...(message !== undefined && { message }) };
}

function dated(
  condition: Omit<PodCondition, 'lastTransitionTime'>,
  known: PodStatus,
  now: number,
  observedGeneration: number | undefined,
): PodCondition {
  const before = known.conditions?.find(({ type }) => type === condition.type);
  const since = before?.status === condition.status ? before.lastTransitionTime : undefined;
  return {
    ...condition,
    lastTransitionTime: since ?? timeText(now),
    ...(observedGeneration !== undefined && { observedGeneration }),
  };
}

function isFinal(phase: PodPhase | undefined): phase is 'Succeeded' | 'Failed' {
  return phase === 'Succeeded' || phase === 'Failed';
}
