import type { ConfigKey } from '../../core/references/config-key.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import type { WorkloadKind } from '../../core/workload/observed.ts';
import type { ConfigId } from '../../core/workload/opt-in.ts';

/** The workload that is being admitted. */
export interface AdmittedWorkload {
  kind: WorkloadKind;
  namespace: string;
  name: string;
  /** Undefined for one that is being created. */
  uid: string | undefined;
  annotations: Record<string, string>;
}

/** What the webhook asks of the cache, about one namespace. */
export interface AdmissionLookup {
  /** Which of these configs are managed for this workload: it opted in, or they were before. */
  managed(workload: AdmittedWorkload, configs: readonly ConfigId[]): ReadonlySet<ConfigKey>;
  /** The version behind the name of a ConfigMap or Secret; undefined for what is no version. */
  version(kind: ConfigKind, object: string): KnownVersion | undefined;
  /** The object of the config's current version; undefined when it has none yet. */
  current(kind: ConfigKind, config: string): string | undefined;
}

interface KnownVersion {
  config: string;
  name: string;
  /** Why it was rejected, for a person; undefined when it was not. */
  rejected: string | undefined;
}
