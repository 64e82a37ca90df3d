import type { ReleaseMode } from '../workload/opt-in.ts';

/** The fields of a version that decide whether its config follows it. */
interface FollowedVersion {
  name: string;
  object: string;
  contentHash: string;
  state: string | undefined;
}

export interface FollowInput<V extends FollowedVersion> {
  release: ReleaseMode;
  kind: string;
  name: string;
  /** The live config; undefined when it does not exist or its content is not known. */
  live: { hash: string; type: string | undefined; immutable: boolean } | undefined;
  versions: readonly V[];
  /** `status.current.object`. */
  current: string | undefined;
  /** Returns the type of the Secret that a version was made from; undefined for ConfigMaps. */
  typeOf(version: V): string | undefined;
  /** Why the API server denied the last write of the content. */
  denial: string | undefined;
}

interface FollowProblem {
  reason: 'ConfigImmutable' | 'ConfigTypeDiffers' | 'ConfigWriteDenied';
  message: string;
}

export type FollowPlan<V> =
  | { follow: 'nothing' }
  /** `kept`: the version with the present content, which must not be lost. */
  | { follow: 'write'; version: V; kept: V; problem?: FollowProblem }
  | { follow: 'never'; problem: FollowProblem };

const nothing = { follow: 'nothing' } as const;

/**
 * Plans how a Locked config follows its current version. A version counts as current when its mark and the status both
 * say so: an activation that ends marks its version first, and it may still be rolled back until the status is written.
 * Content that is not a version yet is not overwritten; the version reconciler makes it one.
 */
export function planFollow<V extends FollowedVersion>(input: FollowInput<V>): FollowPlan<V> {
  const { release, live, versions, kind, name, denial } = input;
  if (release !== 'Locked' || live === undefined) return nothing;
  const version = versions.find(({ object, state }) => object === input.current && state === 'current');
  if (version === undefined || version.contentHash === live.hash) return nothing;
  const config = `${kind} ${name}`;
  const behind = `${config} does not hold version ${version.name}, which is current`;
  if (live.immutable)
    return never(
      'ConfigImmutable',
      `${behind}, because it has immutable: true. Delete ${config} and create it again without immutable`,
    );
  const type = input.typeOf(version);
  if (type !== live.type)
    return never(
      'ConfigTypeDiffers',
      `${behind}, because its type is ${live.type} and that of the version is ${type}. Delete ${config} and create it again with type ${type}, or activate a version of type ${live.type}`,
    );
  const kept = versions.find(({ contentHash }) => contentHash === live.hash);
  if (kept === undefined) return nothing;
  const problem = denial && {
    reason: 'ConfigWriteDenied' as const,
    message: `${behind}, because the API server denies the update: ${denial}`,
  };
  return { follow: 'write', version, kept, ...(problem && { problem }) };
}

function never(reason: FollowProblem['reason'], message: string): FollowPlan<never> {
  return { follow: 'never', problem: { reason, message } };
}
