import { isDeepStrictEqual } from 'node:util';
import { annotations, labels } from '../../../src/api/names.ts';
import type { Scenario } from './scenario.ts';
import { endOf, extraRevisions, type Snapshot } from './snapshot.ts';
import { isManageable, type Version, type World } from './world.ts';

/** Compares two snapshots. `leeway` is the allowed number of additional revisions. */
export function isSame(now: Snapshot, end: Snapshot, leeway: number): boolean {
  if (leeway === 0) return isDeepStrictEqual(now, end);
  return extraRevisions(now, end) <= leeway && isDeepStrictEqual(endOf(now), endOf(end));
}

/**
 * Whether every config has its first version, every workload has rolled it out, and the controller has recorded that.
 */
export function isBaseline(rollouts: Scenario['rollouts']): (now: Snapshot) => boolean {
  return ({ configs, workloads }) =>
    Object.keys(rollouts).every((name) => {
      const config = configs[name];
      return config?.phase === 'Current' && config.current === '1.0.0' && config.target === undefined;
    }) &&
    Object.values(workloads).every(
      ({ runs, rolledOut, marks }) =>
        rolledOut &&
        marks === 'ours, known to work' &&
        runs.filter(isManageable).every((each) => each.endsWith('@1.0.0')),
    );
}

/** Whether the controller has recorded everything: users and owners of each version, and healthy templates. */
export function isWrittenDown(world: World): boolean {
  const noted = world.workloads().every(([, { metadata }]) => {
    const record = metadata.annotations?.[annotations.assignment];
    if (metadata.annotations?.[annotations.manage] === 'false') return record === undefined;
    return record?.includes('healthyTemplate') === true;
  });
  return noted && world.versions().every((version) => isAccountedFor(version, world));
}

function isAccountedFor({ key, object: { metadata } }: Version, world: World): boolean {
  const users = world.naming(key);
  const revisions = users.filter((user) => /^(ReplicaSet|ControllerRevision)\//.test(user));
  const owners = new Set(metadata.ownerReferences?.map(({ kind, name }) => `${kind}/${name}`));
  const isUsed = revisions.length > 0 || users.some((user) => user.startsWith('Pod/'));
  return (
    revisions.every((each) => owners.has(each)) && isUsed === (metadata.labels?.[labels.inUse] !== undefined)
  );
}
