import { type ContainerRecord, phaseOf } from './container-record.ts';
import { containersOf, mayRestart, type PodContainer } from './container-roles.ts';
import type { PodView } from './pod-view.ts';

export interface InitPlan {
  /** The main containers may start. */
  initialized: boolean;
  /** An init container has failed and is not restarted. */
  failed: boolean;
  start: PodContainer[];
}

/**
 * Init containers run in order, each to completion. The container after a sidecar starts once the sidecar has started.
 * Progress is never undone: a sidecar that ends later is restarted and does not block other containers.
 */
export function planInit({ pod, records, verdictOf }: PodView): InitPlan {
  const all = containersOf(pod.spec);
  const inits = all.filter(({ role }) => role !== 'main');
  const recordOf = ({ container }: PodContainer) => records.get(container.name);
  const hasBegun = (each: PodContainer) => isOfThisRun(recordOf(each));
  const mainBegan = all.some((each) => each.role === 'main' && hasBegun(each));
  const reached = mainBegan ? inits.length : inits.findLastIndex(hasBegun);
  const restarts = inits
    .slice(0, Math.max(reached, 0))
    .filter((each) => each.role === 'sidecar' && !isAlive(recordOf(each)));
  const at = inits[reached];
  if (at === undefined && reached >= 0) return { initialized: true, failed: false, start: restarts };
  const step = at === undefined ? 'next' : stepOf(at);
  const next = inits[reached + 1];
  if (step === 'next' && next === undefined) return { initialized: true, failed: false, start: restarts };
  const more = step === 'next' ? next : step === 'again' ? at : undefined;
  return {
    initialized: false,
    failed: step === 'failed',
    start: more === undefined ? restarts : [...restarts, more],
  };

  function stepOf(each: PodContainer): 'next' | 'wait' | 'again' | 'failed' {
    const record = recordOf(each);
    if (isAlive(record)) {
      const { id } = record?.current ?? {};
      const isUp = phaseOf(record) === 'running' && id !== undefined && verdictOf(id).started;
      return each.role === 'sidecar' && isUp ? 'next' : 'wait';
    }
    const exit = record?.exit;
    if (each.role === 'sidecar' || exit === undefined) return 'again';
    if (exit.exitCode === 0) return 'next';
    return mayRestart(each, pod, exit) ? 'again' : 'failed';
  }
}

/** The instance was created by this kubelet. Instances of an earlier kubelet do not count for initialization. */
function isOfThisRun(record: ContainerRecord | undefined): boolean {
  return isAlive(record) || (record?.exit !== undefined && !record.fromBefore);
}

function isAlive(record: ContainerRecord | undefined): boolean {
  return ['starting', 'running'].includes(phaseOf(record));
}
