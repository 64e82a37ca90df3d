import { labels } from '../../api/names.ts';
import { type ConfigKey, readConfigKey } from '../../core/references/config-key.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import { configMetadataOf, rolloutOf, versionsOfConfig } from '../cache/lookup.ts';

/**
 * Returns why a workload cannot be set back to a config, and what to do: pods that read the live config must not get
 * content that nobody has judged. Without a ConfigRollout nobody judges, and only rejected content is an obstacle.
 */
export function optOutObstacle(
  cluster: ClusterCache,
  namespace: string,
  config: ConfigKey,
): string | undefined {
  const { kind, name } = readConfigKey(config);
  const metadata = configMetadataOf(cluster, namespace, kind, name);
  if (metadata === undefined || metadata.deleting) return `${kind} ${name} does not exist; create it`;
  const live = cluster.originals[kind]?.cache.get(`${namespace}/${name}`)?.hash;
  // The content of a labelled config has its own watch, which may be the first to see a deletion.
  if (live === undefined && metadata.labels[labels.config] !== undefined)
    return `the content of ${kind} ${name} is not known yet`;
  const same = versionsOfConfig(cluster, namespace, kind, name).filter(
    ({ contentHash }) => contentHash === live,
  );
  // A version is marked current shortly before its activation ends.
  const rollout = rolloutOf(cluster, namespace, kind, name);
  const isTarget = ({ object }: VersionMetadata) => object === rollout?.status?.target?.object;
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
