import type { ConfigRollout } from '../../../../src/api/config-rollout.ts';
import { isPinned, isWorkload, referencesOf } from '../world.ts';
import type { Checker } from './checker.ts';

/**
 * The status is written last and reports only completed writes. An activation in the status has updated a workload,
 * unless all workloads are Pending or Pinned. A version that the status calls current is marked current, and no workload
 * references a version that the status calls rolled back.
 */
export function statusLast(): Checker {
  /** All objects that a workload has referenced. Users may undo a move before the status reports it. */
  const named = new Set<string>();
  return {
    step({ entry, before, world }) {
      if (isWorkload(entry.kind)) for (const each of referencesOf(entry.object)) named.add(each);
      if (entry.kind !== 'ConfigRollout' || entry.gone) return [];
      const rollout = entry.object as ConfigRollout;
      const { status: now, spec } = rollout;
      const then = (before as ConfigRollout | undefined)?.status;
      const users = world.usersOf(rollout);
      const keyOf = (object: string) => `${spec.config.kind}/${object}`;
      const found: string[] = [];
      const target = now?.target;
      if (
        target !== undefined &&
        target.activation !== then?.target?.activation &&
        now?.phase === 'BeingCurrent' &&
        users.length > 0 &&
        !now.workloads?.every(({ state }) => state === 'Pending' || state === 'Pinned') &&
        !named.has(keyOf(target.object))
      )
        found.push(`${entry.key} tells that ${target.version} is on its way, and no workload was moved`);
      const current = now?.current;
      if (current !== undefined && current.object !== then?.current?.object) {
        const state = world.version(keyOf(current.object))?.state;
        if (state !== 'current')
          found.push(`${entry.key} tells that ${current.version} is current, and it is marked ${state}`);
      }
      const old = then?.target;
      if (now?.phase === 'Failed' && old !== undefined && target === undefined) {
        for (const [user, workload, names] of users)
          if (names === keyOf(old.object) && !isPinned(workload))
            found.push(`${entry.key} tells that ${old.version} was rolled back, and ${user} still names it`);
      }
      return found;
    },
  };
}
