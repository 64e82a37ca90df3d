import type { ContainerStatus, PodStatus } from '../../objects/pod.ts';

/**
 * Whether somebody may be waiting for the difference of two statuses: a phase, a container that has started, ended or
 * failed, readiness. That a pod was seen, has an address, or is told to go is soon followed by such news.
 */
export function hasChanged(before: PodStatus, after: PodStatus): boolean {
  return gist(before) !== gist(after);
}

function gist({ phase = 'Pending', reason, message, conditions = [], ...status }: PodStatus): string {
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  // A condition that is not there yet is not met, either.
  const ready = conditions.filter(({ type, status: is }) => type === 'Ready' && is === 'True').length;
  return JSON.stringify([phase, reason, message, ready, containers.filter(hasTold)]);
}

/** One that is only about to be made for the first time has nothing to tell. */
function hasTold({ state, lastState, restartCount }: ContainerStatus): boolean {
  const { reason = '' } = state.waiting ?? {};
  const isFirst = restartCount === 0 && lastState.terminated === undefined;
  return !isFirst || !['ContainerCreating', 'PodInitializing'].includes(reason);
}
