import { annotations } from '../../api/names.ts';
import { readAssignedVersions } from '../../core/references/assigned-versions.ts';
import { type ConfigKey, readConfigKey } from '../../core/references/config-key.ts';
import { versionMetadata } from '../../core/version/version-metadata.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import { configMetadataOf } from '../cache/lookup.ts';

/** What is wrong with the versions of a config that the template of a workload assigns; users may set them. */
export function invalidVersions(cluster: ClusterCache, workload: Workload, config: ConfigKey): string[] {
  const text = workload.templateAnnotations[annotations.versions];
  if (text === undefined) return [];
  const where = `${workload.kind} ${workload.name}: annotation ${annotations.versions} of its pod template`;
  const assigned = readAssignedVersions(text);
  if (assigned === undefined) return [`${where} is not valid, so none of its pods can start`];
  const object = assigned.get(config);
  const { kind, name } = readConfigKey(config);
  if (object === undefined) return [];
  const found = configMetadataOf(cluster, workload.namespace, kind, object);
  if (found === undefined || found.deleting) return [`${where} names "${object}", which does not exist`];
  const isVersion = versionMetadata(found)?.config === name;
  return isVersion ? [] : [`${where} names "${object}", which is not a version of ${kind} ${name}`];
}
