import type { ContainerStatus, PodStatus } from '../../objects/pod.ts';

/**
 * Whether two statuses differ in a way that clients wait for: the phase, readiness, or a container that started, ended
 * or failed. Other changes (the pod was observed, has an address, is being deleted) are soon followed by such a change.
 */
export function hasChanged(before: PodStatus, after: PodStatus): boolean {
  return gist(before) !== gist(after);
}

function gist({ phase = 'Pending', reason, message, conditions = [], ...status }: PodStatus): string {
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  // A missing condition is equivalent to one that is not True.
  const ready = conditions.filter(({ type, status: is }) => type === 'Ready' && is === 'True').length;
  return JSON.stringify([phase, reason, message, ready, containers.filter(hasTold)]);
}

/** A container that waits for its first start carries no information. */
function hasTold({ state, lastState, restartCount }: ContainerStatus): boolean {
  const { reason = '' } = state.waiting ?? {};
  const isFirst = restartCount === 0 && lastState.terminated === undefined;
  return !isFirst || !['ContainerCreating', 'PodInitializing'].includes(reason);
}
