import type { ConfigRollout } from '../../../../src/api/config-rollout.ts';
import { annotations } from '../../../../src/api/names.ts';
import type { Version, Workload, World } from '../world.ts';
import { isRolledOut, isWorkload, referencesOf } from '../world.ts';
import type { Checker, Step } from './checker.ts';

/** Tolerance for events that reach this test later than the controller. The delay of this process is in each entry. */
const latenessMs = 100;

/**
 * No wave and no bake is skipped: a workload is updated, and a version becomes current, only when every workload of
 * the previous waves has the version and has been rolled out for the bake time. No workload is updated to a rejected
 * version.
 */
export function stages(bakeMs: number): Checker {
  const wellSince = new Map<string, number>();

  const unready = (users: [string, Workload, string][], { key, name }: Version, at: number): string[] =>
    users.flatMap(([user, , names]) => {
      if (names !== key) return [`${user} does not have ${name} yet`];
      const since = wellSince.get(user);
      if (since === undefined) return [`${user} is not rolled out`];
      return at - since < bakeMs - latenessMs
        ? [`${user} has been well for ${Math.round(at - since)} ms only`]
        : [];
    });

  const moved = ({ entry, before, world }: Step): string[] => {
    const old = new Set(before === undefined ? [] : referencesOf(before));
    return referencesOf(entry.object).flatMap((key) => {
      const version = world.version(key);
      if (version === undefined || old.has(key) || version.state === 'current') return [];
      if (version.state === 'rejected')
        return [`${entry.key} was moved to ${version.name}, which is marked ${version.state}`];
      const rollout = rolloutOf(world, version);
      const lower = (rollout === undefined ? [] : world.usersOf(rollout)).filter(
        ([, workload]) => waveOf(workload) < waveOf(entry.object as Workload),
      );
      return unready(lower, version, entry.at).map((why) => `${entry.key} was moved early: ${why}`);
    });
  };

  const becameCurrent = ({ entry, before, world }: Step): string[] => {
    const [rollout, old] = [entry.object as ConfigRollout, before as ConfigRollout | undefined];
    const now = rollout.status?.current;
    const then = old?.status?.current;
    if (now === undefined || then === undefined || now.object === then.object) return [];
    const version = world.version(`${rollout.spec.config.kind}/${now.object}`);
    if (version === undefined) return [`${entry.key}: current is ${now.object}, which is not there`];
    return unready(world.usersOf(rollout), version, entry.at).map(
      (why) => `${entry.key}: ${version.name} became current early: ${why}`,
    );
  };

  return {
    step(step) {
      const { entry, before } = step;
      if (entry.kind === 'ConfigRollout') return becameCurrent(step);
      if (!isWorkload(entry.kind)) return [];
      const found = moved(step);
      const workload = entry.object as Workload;
      const same = before !== undefined && `${referencesOf(before)}` === `${referencesOf(workload)}`;
      if (!isRolledOut(workload)) wellSince.delete(entry.key);
      else if (!same || !wellSince.has(entry.key)) wellSince.set(entry.key, entry.notBefore);
      return found;
    },
  };
}

function rolloutOf(world: World, { rollout }: Version): ConfigRollout | undefined {
  return world.rollouts().find(({ metadata }) => metadata.name === rollout);
}

function waveOf({ metadata }: Workload): number {
  return Number(metadata.annotations?.[annotations.wave] ?? 0);
}
