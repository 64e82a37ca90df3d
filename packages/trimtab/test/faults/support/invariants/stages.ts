import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigRollout } from '../../../../src/api/config-rollout.ts';
import { annotations, labels } from '../../../../src/api/names.ts';
import type { Version, Workload, World } from '../world.ts';
import { isPinned, isWorkload, referencesOf, wantsPods } from '../world.ts';
import { becomingCurrent } from './becoming-current.ts';
import type { Checker, Step } from './checker.ts';
import { WorkloadHistory } from './workload-history.ts';

/** Tolerance for events that reach this test later than the controller. The delay of this process is in each entry. */
const latenessMs = 100;

/**
 * No wave and no bake is skipped: a workload is updated, and a version becomes current, only when every workload of
 * the previous waves that takes part has the version and has been rolled out for the bake time. No workload is updated
 * to a rejected version.
 */
export function stages(staleMs: number): Checker {
  const history = new WorkloadHistory();

  const unready = (
    user: string,
    workload: Workload,
    names: string,
    { key, name }: Version,
    { at, bakeMs }: { at: number; bakeMs: number },
  ) => {
    const past = history.of(user);
    const isRecent = (time = Number.NEGATIVE_INFINITY) => at - time < staleMs;
    // A manifest that was just applied again names the config itself.
    if (names !== key)
      return isRecent(past?.movedAt) && history.hasNamed(user, key)
        ? []
        : [`${user} does not have ${name} yet`];
    if (!wantsPods(workload) || isRecent(past?.changedAt) || isRecent(past?.emptyAt)) return [];
    if (past?.wellSince === undefined) return [`${user} is not rolled out`];
    return at - past.wellSince < bakeMs - latenessMs
      ? [`${user} has been well for ${Math.round(at - past.wellSince)} ms only`]
      : [];
  };

  const moved = ({ entry, before, world }: Step): string[] => {
    const old = new Set(before === undefined ? [] : referencesOf(before));
    // A user's undo changes references and not the label.
    if (before !== undefined && assignedTo(before) === assignedTo(entry.object)) return [];
    return referencesOf(entry.object).flatMap((key) => {
      const version = world.version(key);
      if (version === undefined || old.has(key) || version.state === 'current') return [];
      if (version.state === 'rejected')
        return [`${entry.key} was moved to ${version.name}, which is marked ${version.state}`];
      const rollout = rolloutOf(world, version);
      const lower = (rollout === undefined ? [] : world.usersOf(rollout)).filter(
        ([, workload]) => waveOf(workload) < waveOf(entry.object as Workload) && !isPinned(workload),
      );
      return lower
        .filter(([user, , names]) => !history.hasLeft(user, names, key, world))
        .flatMap(([user, workload, names]) =>
          unready(user, workload, names, version, { at: entry.at, bakeMs: bakeOf(rollout) }),
        )
        .map((why) => `${entry.key} was moved early: ${why}`);
    });
  };

  const becameCurrent = (step: Step): string[] => {
    const promoted = becomingCurrent(step, history);
    if (promoted === undefined) return [];
    const { participants, version, at } = promoted;
    const bakeMs = bakeOf(step.entry.object as ConfigRollout);
    return participants
      .flatMap(({ user, workload, names }) => unready(user, workload, names, version, { at, bakeMs }))
      .map((why) => `${step.entry.key}: ${version.name} became current early: ${why}`);
  };

  return {
    step(step) {
      const { kind } = step.entry;
      const found = kind === 'ConfigRollout' ? becameCurrent(step) : isWorkload(kind) ? moved(step) : [];
      history.observe(step);
      return found;
    },
  };
}

/** An activation bakes as long as its most patient member. */
function bakeOf(rollout: ConfigRollout | undefined): number {
  return (rollout?.spec.strategy.bakeSeconds ?? 0) * 1000;
}

function rolloutOf(world: World, { rollout }: Version): ConfigRollout | undefined {
  return world.rollouts().find(({ metadata }) => metadata.name === rollout);
}

function assignedTo({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[labels.assigned];
}

function waveOf({ metadata }: Workload): number {
  return Number(metadata.annotations?.[annotations.wave] ?? 0);
}
