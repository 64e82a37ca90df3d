import type { WatchPayload } from './watch-payload.ts';

/** The version of one config that applies to a caller, to be read or watched. */
export interface VersionSource {
  /** Whether it reads from a cache, which may be behind the API server. */
  isCached?: true;
  /**
   * The version that applies now; undefined when the config does not exist. Throws a Refusal, or an error of the
   * Kubernetes client, when the caller may not read it.
   */
  now(signal: AbortSignal): Promise<AppliedVersion | undefined>;
}

export interface AppliedVersion {
  /** The ConfigMap or Secret that holds the version; undefined for an unmanaged config. */
  object?: string;
  /** Two reads with equal keys show the same object. */
  key: string;
  /** The key of the entity tag, where the tag stands for more than what is shown. */
  tagKey?: string;
  /** Of the ConfigRollout, or of the live config when it is unmanaged. */
  resourceVersion: string;
  /** False for an unmanaged config, whose content changes only with the config itself. */
  managed: boolean;
  read(signal: AbortSignal): Promise<WatchPayload>;
}
