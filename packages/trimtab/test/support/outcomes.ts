import type { ConfigRollout } from '../../src/api/config-rollout.ts';
import type { ReleaseStory } from './release-story.ts';
import { conditionOf } from './settled.ts';

/** Waits until this version is rolled back and no activation runs. Returns the rollout. */
export function isRolledBack(
  release: ReleaseStory,
  version: string,
  rollout = 'configmap-foo',
): Promise<ConfigRollout> {
  return endedAs(release, version, { phase: 'Failed', result: 'RolledBack' }, rollout);
}

/** Waits until the activation of this version is aborted, because all its workloads left it or were deleted. */
export function isAborted(
  release: ReleaseStory,
  version: string,
  rollout = 'configmap-foo',
): Promise<ConfigRollout> {
  return endedAs(release, version, { phase: 'Aborted', result: 'Aborted' }, rollout);
}

/** Waits until nobody can judge this version, for this reason. The activation goes on when somebody can. */
export function isParked(
  release: ReleaseStory,
  version: string,
  reason: string,
  rollout = 'configmap-foo',
): Promise<ConfigRollout> {
  return release.rolloutIs(
    `${version} is parked because of ${reason}`,
    (status) => {
      const ready = conditionOf({ status }, 'Ready');
      return (
        status.phase === 'Parked' &&
        status.target?.version === version &&
        ready?.status === 'False' &&
        ready.reason === reason
      );
    },
    rollout,
  );
}

function endedAs(
  release: ReleaseStory,
  version: string,
  { phase, result }: { phase: string; result: string },
  rollout: string,
): Promise<ConfigRollout> {
  return release.rolloutIs(
    `${version} ended as ${result}`,
    (status) =>
      status.phase === phase &&
      status.target === undefined &&
      status.history?.[0]?.version === version &&
      status.history[0].result === result,
    rollout,
  );
}
