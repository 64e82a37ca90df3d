import type { ConfigRollout, ConfigRolloutStatus } from '../../src/api/config-rollout.ts';
import type { ReleaseStory } from './release-story.ts';

/** Waits until a version is current and each of these workloads has rolled it out and is healthy. */
export function settled(
  release: ReleaseStory,
  version: string,
  workloads: readonly string[],
  rollout = 'configmap-foo',
): Promise<ConfigRollout> {
  return release.rolloutIs(
    `${version} is current and ${workloads.join(', ')} run it`,
    (status) =>
      status.phase === 'Current' &&
      status.current?.version === version &&
      status.target === undefined &&
      workloads.every((name) => lineOf(status, name)?.state === 'Healthy'),
    rollout,
  );
}

export function lineOf(status: ConfigRolloutStatus | undefined, workload: string) {
  return status?.workloads?.find(({ name }) => name === workload);
}

export function conditionOf({ status }: Pick<ConfigRollout, 'status'>, type: string) {
  return status?.conditions?.find((condition) => condition.type === type);
}
