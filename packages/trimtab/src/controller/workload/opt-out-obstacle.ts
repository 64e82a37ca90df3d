import { labels } from '../../api/names.ts';
import { type ConfigKey, readConfigKey } from '../../core/references/config-key.ts';
import { type OptOutInput, optOutObstacle } from '../../core/workload/opt-out-obstacle.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import { configMetadataOf, rolloutOf, versionsOfConfig } from '../cache/lookup.ts';

/** Returns why a workload cannot be set back to a config, from the cache. */
export function cachedObstacle(
  cluster: ClusterCache,
  namespace: string,
  config: ConfigKey,
): string | undefined {
  const { kind, name } = readConfigKey(config);
  return optOutObstacle({
    config: { kind, name },
    live: liveContent(cluster, namespace, config),
    versions: versionsOfConfig(cluster, namespace, kind, name),
    rollout: rolloutOf(cluster, namespace, kind, name),
  });
}

function liveContent(cluster: ClusterCache, namespace: string, config: ConfigKey): OptOutInput['live'] {
  const { kind, name } = readConfigKey(config);
  const metadata = configMetadataOf(cluster, namespace, kind, name);
  if (metadata === undefined || metadata.deleting) return 'missing';
  const hash = cluster.originals[kind]?.cache.get(`${namespace}/${name}`)?.hash;
  // The content of a labelled config has its own watch, which may be the first to see a deletion.
  return hash === undefined && metadata.labels[labels.config] !== undefined ? 'unknown' : { hash };
}
