import { isDeepStrictEqual } from 'node:util';
import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';

/** States between which a workload changes many times during a rollout. */
const ordinary = new Set(['Pending', 'Progressing', 'Healthy']);

/**
 * Whether two statuses differ only in how far a rollout is: counts of pods, ordinary states of workloads, and the
 * messages about them. Such a status is not written at once, because each pod of a rollout changes it several times.
 */
export function isProgressOnly(before: ConfigRolloutStatus | undefined, after: ConfigRolloutStatus): boolean {
  return before?.target !== undefined && isDeepStrictEqual(withoutProgress(before), withoutProgress(after));
}

function withoutProgress({ updated: _, workloads = [], conditions = [], ...rest }: ConfigRolloutStatus) {
  return {
    ...rest,
    workloads: workloads.map(({ kind, name, mode, state }) => ({
      kind,
      name,
      mode,
      state: ordinary.has(state) ? 'ordinary' : state,
    })),
    conditions: conditions.map(({ message: _text, ...condition }) => condition),
  };
}
