import type { ConfigKey } from '../../core/references/config-key.ts';
import type { ReferenceWay } from '../../core/references/reference-way.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import type { WorkloadKind } from '../../core/workload/observed.ts';
import type { ConfigId } from '../../core/workload/opt-in.ts';

/** The workload of an admission request. */
export interface AdmittedWorkload {
  kind: WorkloadKind;
  namespace: string;
  name: string;
  /** Undefined when the workload is being created. */
  uid: string | undefined;
  annotations: Record<string, string>;
  templateAnnotations: Record<string, string>;
}

/** Lookups of the webhook in the cache, for one namespace. */
export interface AdmissionLookup {
  /** Whether this installation injects the agent, so that pods can be reloaded. */
  reloads: boolean;
  /** How the template of this workload assigns versions. */
  referenceWay(workload: AdmittedWorkload): ReferenceWay;
  /**
   * Returns the configs that are managed for this workload: it opted in, or they were managed before. `assigned` are
   * those of which it has referenced a version until now.
   */
  managed(
    workload: AdmittedWorkload,
    configs: readonly ConfigId[],
    assigned: ReadonlySet<ConfigKey>,
  ): ReadonlySet<ConfigKey>;
  /** Returns the version that a ConfigMap or Secret holds; undefined when the object is not a version. */
  version(kind: ConfigKind, object: string): KnownVersion | undefined;
  /** Returns the object name of the config's current version; undefined when there is none yet. */
  current(kind: ConfigKind, config: string): string | undefined;
  /** Returns the newest revision of the workload that references the current versions of these configs. */
  goodRevision(workload: AdmittedWorkload, configs: readonly ConfigKey[]): number | undefined;
}

interface KnownVersion {
  config: string;
  name: string;
  /** Reason of the rejection, for warnings; undefined when the version is not rejected. */
  rejected: string | undefined;
}
