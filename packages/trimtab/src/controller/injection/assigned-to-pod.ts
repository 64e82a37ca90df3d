import { annotations, labels } from '../../api/names.ts';
import type { Versions } from '../../core/injection/managed-configs.ts';
import { parseAssignedVersions } from '../../core/references/assigned-versions.ts';
import { assignmentHash } from '../../core/references/assignment.ts';
import { configKey } from '../../core/references/config-key.ts';
import { versionMetadata } from '../../core/version/version-metadata.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import { configMetadataOf, originalName, rolloutOf } from '../cache/lookup.ts';
import { currentObject } from '../webhook/lookup-in-cache.ts';
import { adoptionOfWorkload } from '../workload/adoption-of.ts';

/**
 * Returns the version that a pod should start with, for a name in its spec; undefined when the config is not managed for
 * it. The pod of a workload gets what the workload was assigned, any other pod the current version.
 */
export function assignedToPod(
  { cluster, reloaderAnnotations }: { cluster: ClusterCache; reloaderAnnotations: boolean },
  namespace: string,
  workload: Workload | undefined,
): Versions {
  const managed = workload && adoptionOfWorkload({ cluster, reloaderAnnotations }, workload).managed;
  const versions = parseAssignedVersions(workload?.annotations[annotations.versions]);
  const isIntact = assignmentHash(versions) === workload?.labels[labels.assigned];
  return (kind, name) => {
    const config = originalName(cluster, namespace, kind, name);
    const key = configKey(kind, config);
    if (managed !== undefined && !managed.has(key)) return undefined;
    if (rolloutOf(cluster, namespace, kind, config) === undefined) return undefined;
    const object =
      (isIntact ? versions.get(key) : undefined) ?? currentObject(cluster, namespace, kind, config);
    const metadata = object === undefined ? undefined : configMetadataOf(cluster, namespace, kind, object);
    const version = metadata === undefined ? undefined : versionMetadata(metadata);
    if (object === undefined || version === undefined || version.config !== config) return undefined;
    return { config, version: version.name, object };
  };
}
