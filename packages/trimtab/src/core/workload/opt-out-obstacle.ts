import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { VersionMetadata } from '../version/version-metadata.ts';
import type { ConfigId } from './opt-in.ts';

export interface OptOutInput {
  config: ConfigId;
  /** `unknown`: the content was not read yet. The hash is undefined for a config that was never managed. */
  live: 'missing' | 'unknown' | { hash: string | undefined };
  /** All versions of the config, also those of an earlier rollout. */
  versions: readonly Pick<VersionMetadata, 'name' | 'object' | 'contentHash' | 'state'>[];
  rollout: Pick<ConfigRollout, 'status'> | undefined;
}

/**
 * Returns why a workload cannot be set back to a config, and what to do: pods that read the live config must not get
 * content that nobody has judged. Without a ConfigRollout nobody judges, and only rejected content is an obstacle.
 */
export function optOutObstacle({ config, live, versions, rollout }: OptOutInput): string | undefined {
  const { kind, name } = config;
  if (live === 'missing') return `${kind} ${name} does not exist; create it`;
  if (live === 'unknown') return `the content of ${kind} ${name} is not known yet`;
  const same = versions.filter(({ contentHash }) => contentHash === live.hash);
  // A version is marked current shortly before its activation ends.
  const isTarget = ({ object }: { object: string }) => object === rollout?.status?.target?.object;
  if (same.some((version) => version.state === 'current' && !isTarget(version))) return undefined;
  const rejected = same.find(({ state }) => state === 'rejected');
  if (rejected !== undefined)
    return `${kind} ${name} holds version ${rejected.name}, which was rolled back; edit it`;
  if (rollout === undefined) return undefined;
  const [version] = same;
  if (version === undefined) return `the content of ${kind} ${name} has no version yet`;
  return same.some(isTarget)
    ? `${kind} ${name} holds version ${version.name}, which is being rolled out`
    : `${kind} ${name} holds version ${version.name}, which is not current; request the version, or edit the config`;
}
