import type { ConfigRollout } from '../../../../src/api/config-rollout.ts';
import { isPinned, type Version, type Workload, type World, wantsPods } from '../world.ts';
import type { Step } from './checker.ts';
import type { WorkloadHistory } from './workload-history.ts';

/** A version becomes current. */
export interface BecomingCurrent {
  version: Version;
  at: number;
  /** Managed workloads that use the config and take part: they did not leave. */
  participants: { user: string; workload: Workload; names: string }[];
  /** Workloads that were moved to the version, and that another client has moved to another version. */
  left: string[];
  /** The activation had workloads, according to the status before. */
  hadWorkloads: boolean;
}

/** Returns the version that becomes current with this change of a ConfigRollout, and those who take part. */
export function becomingCurrent(
  { entry, before, world }: Step,
  history: WorkloadHistory,
): BecomingCurrent | undefined {
  if (entry.kind !== 'ConfigRollout' || entry.gone) return undefined;
  const [rollout, old] = [entry.object as ConfigRollout, before as ConfigRollout | undefined];
  const now = rollout.status?.current;
  const then = old?.status?.current;
  if (now === undefined || then === undefined || now.object === then.object) return undefined;
  const version = versionNamed(world, rollout, now.object);
  if (version === undefined) return undefined;
  const users = world
    .usersOf(rollout)
    .filter(([, workload]) => !isPinned(workload))
    .map(([user, workload, names]) => ({ user, workload, names }));
  const hasLeft = ({ user, names }: { user: string; names: string }) =>
    history.hasLeft(user, names, version.key, world);
  return {
    version,
    at: entry.at,
    participants: users.filter((each) => !hasLeft(each)),
    left: users.filter(hasLeft).map(({ user }) => user),
    // Without an activation in the status before, its workloads were at rest, and may have opted out since.
    hadWorkloads:
      old?.status?.target !== undefined &&
      (old.status.workloads ?? []).some(({ state }) => state !== 'Pending'),
  };
}

function versionNamed(world: World, { spec }: ConfigRollout, object: string): Version | undefined {
  return world.version(`${spec.config.kind}/${object}`);
}

/** The participants that name the version and want pods, so that their pods decide. */
export function judgesOf({ participants, version }: BecomingCurrent): BecomingCurrent['participants'] {
  return participants.filter(({ names, workload }) => names === version.key && wantsPods(workload));
}
