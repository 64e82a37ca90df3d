import { isDeepStrictEqual } from 'node:util';
import type { Scenario } from './scenario.ts';
import { endOf, extraRevisions, type Snapshot } from './snapshot.ts';

/** With leeway, so many revisions more than in the other run are fine. */
export function isSame(now: Snapshot, end: Snapshot, leeway: number): boolean {
  if (leeway === 0) return isDeepStrictEqual(now, end);
  return extraRevisions(now, end) <= leeway && isDeepStrictEqual(endOf(now), endOf(end));
}

/** Every config has its first version, and every workload runs with it, as far as the controller knows, too. */
export function isBaseline(rollouts: Scenario['rollouts']): (now: Snapshot) => boolean {
  return ({ configs, workloads }) =>
    Object.keys(rollouts).every((name) => {
      const config = configs[name];
      return config?.phase === 'Current' && config.current === '1.0.0' && config.target === undefined;
    }) &&
    Object.values(workloads).every(
      ({ runs, rolledOut, marks }) =>
        rolledOut && marks === 'ours, known to work' && runs.every((each) => each.endsWith('@1.0.0')),
    );
}
