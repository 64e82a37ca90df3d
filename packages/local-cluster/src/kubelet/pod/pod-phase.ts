import type { ContainerStatus, Pod, PodPhase } from '../../objects/pod.ts';
import { containersOf, mayRestart, type PodContainer } from './container-roles.ts';

/**
 * The phase, derived from the container statuses as in the real kubelet. `isTerminal` means that the pod has ended and
 * no container is restarted regardless of the restart policy.
 */
export function podPhase(
  pod: Pod,
  statuses: ReadonlyMap<string, ContainerStatus>,
  { isTerminal, wasInitialized }: { isTerminal: boolean; wasInitialized: boolean },
): PodPhase {
  const all = containersOf(pod.spec);
  const count = { unknown: 0, running: 0, waiting: 0, stopped: 0, final: 0, succeeded: 0 };
  let pendingInit = 0;
  let pendingSidecars = 0;
  for (const each of all) {
    const status = statuses.get(each.container.name);
    const ended = status?.state.terminated ?? (status?.state.waiting && status.lastState.terminated);
    const isFinal = ended !== undefined && !mayRestart(each, pod, ended);
    if (each.role === 'init') {
      if (ended === undefined) pendingInit++;
      else if (ended.exitCode !== 0 && isFinal) return 'Failed';
    } else if (status === undefined) count.unknown++;
    else if (status.state.running !== undefined) {
      count.running++;
      if (each.role === 'sidecar' && !status.started) pendingSidecars++;
    } else if (ended === undefined) {
      count.waiting++;
      if (each.role === 'sidecar') pendingSidecars++;
    } else if (each.role === 'main') countEnd(status, each, isFinal);
  }
  if (pendingInit > 0 || (pendingSidecars > 0 && !wasInitialized) || count.waiting > 0) return 'Pending';
  if (count.unknown > 0) return 'Pending';
  if (count.running > 0) return 'Running';
  if (count.stopped === 0) return 'Pending';
  if (!isTerminal && count.stopped !== count.final) return 'Running';
  return count.stopped === count.succeeded ? 'Succeeded' : 'Failed';

  function countEnd({ state }: ContainerStatus, _each: PodContainer, isFinal: boolean): void {
    count.stopped++;
    if (isFinal) count.final++;
    if (state.terminated?.exitCode === 0) count.succeeded++;
  }
}
