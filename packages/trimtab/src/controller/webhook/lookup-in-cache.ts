import { annotations } from '../../api/names.ts';
import { findCurrentVersion } from '../../core/activation/current-version.ts';
import { parseRejection } from '../../core/activation/rejection.ts';
import type { ConfigOf } from '../../core/references/assignment.ts';
import { configKey, readConfigKey } from '../../core/references/config-key.ts';
import type { ReferenceWay } from '../../core/references/reference-way.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { versionMetadata } from '../../core/version/version-metadata.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import {
  configMetadataOf,
  originalName,
  orphanedVersions,
  revisionWith,
  rolloutOf,
  versionsOf,
} from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';
import { adoptionOf } from '../workload/adoption-of.ts';
import { isWayCertain, type ReferenceWays, referenceWayOf } from '../workload/reference-way-of.ts';
import type { AdmissionLookup, AdmittedWorkload } from './admission-lookup.ts';

/** Implements the lookups of the webhook with the cache and the same rules as the reconcilers. */
export function lookupInCache(
  cluster: ClusterCache,
  {
    reloaderAnnotations,
    reloads,
    referenceWays,
  }: Pick<ControllerContext, 'reloaderAnnotations' | 'reloads' | 'referenceWays'>,
): (namespace: string) => AdmissionLookup {
  return (namespace) => ({
    reloads,
    referenceWay: (workload) => admittedWay(referenceWays, workload),
    managed: (workload, references, assigned) =>
      adoptionOf({
        cluster,
        reloaderAnnotations,
        workload,
        assigned,
        // With --no-secrets, no Secret has versions.
        references: references.filter(({ kind }) => cluster.configs[kind] !== undefined),
      }).managed,
    version(kind, object) {
      const metadata = configMetadataOf(cluster, namespace, kind, object);
      const version = metadata === undefined ? undefined : versionMetadata(metadata);
      if (version === undefined) return undefined;
      const { config, name, state, rejected } = version;
      const reason = parseRejection(rejected)?.reason ?? 'its pods failed';
      return { config, name, rejected: state === 'rejected' ? reason : undefined };
    },
    current: (kind, config) => currentObject(cluster, namespace, kind, config),
    goodRevision({ kind, uid }, configs) {
      const wanted = configs.flatMap((key) => {
        const config = readConfigKey(key);
        const object = currentObject(cluster, namespace, config.kind, config.name);
        return object === undefined ? [] : [[key, object] as const];
      });
      const configOf: ConfigOf = (each, name) => {
        const config = originalName(cluster, namespace, each, name);
        return configs.includes(configKey(each, config)) ? config : undefined;
      };
      return uid === undefined ? undefined : revisionWith(cluster, { kind, uid }, configOf, new Map(wanted));
    },
  });
}

/** While it is not certain what admission does, a template stays written in the way that it is. */
function admittedWay(ways: ReferenceWays, workload: AdmittedWorkload): ReferenceWay {
  const isWritten = workload.templateAnnotations[annotations.versions] !== undefined;
  return isWritten && !isWayCertain(ways, workload) ? 'admission' : referenceWayOf(ways, workload);
}

export function currentObject(
  cluster: ClusterCache,
  namespace: string,
  kind: ConfigKind,
  config: string,
): string | undefined {
  const rollout = rolloutOf(cluster, namespace, kind, config);
  if (rollout === undefined) return undefined;
  // The current version is unknown until orphaned versions are adopted, as in observe.ts.
  if (orphanedVersions(cluster, rollout).length > 0) return undefined;
  return findCurrentVersion(versionsOf(cluster, rollout), rollout.status)?.object;
}
