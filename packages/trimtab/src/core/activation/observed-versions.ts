import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import type { ConfigKey } from '../references/config-key.ts';
import type { VersionMetadata } from '../version/version-metadata.ts';
import type { WorkloadKind } from '../workload/observed.ts';
import { workloadKey } from '../workload/workload-key.ts';
import { parseRejection } from './rejection.ts';
import type { CandidateVersion, RolloutState } from './rollout-state.ts';
import type { VersionRef } from './types.ts';

// What a plan knows of versions and of the activation in progress. The controller and the preview share it.

export function versionRef({ name, object }: CandidateVersion): VersionRef {
  return { name, object };
}

export function candidateVersion(version: VersionMetadata): CandidateVersion {
  const rejection = parseRejection(version.rejected);
  return {
    name: version.name,
    object: version.object,
    contentHash: version.contentHash,
    sequence: version.sequence,
    labelledCurrent: version.state === 'current',
    currentCount: version.currentCount,
    rejections: rejection?.sets ?? [],
    aborted: rejection?.aborted === true,
  };
}

export function runningActivation(
  status: ConfigRolloutStatus | undefined,
  current: VersionRef | undefined,
  versions: readonly VersionMetadata[],
): RolloutState['running'] {
  const target = status?.target;
  if (target === undefined) return undefined;
  const rejected = versions.find(({ object }) => object === target.object)?.rejected;
  // The controller was killed after it marked the version as rejected and before it wrote the status.
  const rejection = parseRejection(rejected);
  const failed = rejection?.activation === target.activation;
  return {
    activation: target.activation,
    target: { name: target.version, object: target.object },
    members: target.members as ConfigKey[],
    // The current version cannot be rolled back; a status that says so was edited.
    rollingBack:
      (failed || status?.phase === 'RollingBack' || status?.phase === 'RollbackFailed') &&
      target.object !== current?.object,
    aborted: failed && rejection.aborted ? rejection.reason : undefined,
    parked: status?.phase === 'Parked',
    hadPods: (status?.workloads ?? [])
      .filter(({ state }) => state !== 'NoPods')
      .map(({ kind, name }) => workloadKey(kind as WorkloadKind, name)),
  };
}
