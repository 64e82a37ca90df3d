import type { WatchPayload } from './watch-payload.ts';

/** What somebody reads or watches: the version of one config that applies to them. */
export interface VersionSource {
  /**
   * What applies now; undefined when there is no such config (any more). Throws a StatusError, or what the client of
   * the cluster throws, when the caller may not know.
   */
  now(signal: AbortSignal): Promise<AppliedVersion | undefined>;
}

export interface AppliedVersion {
  /** Equal for two looks that would show the same. */
  key: string;
  /** How far it is known: of the rollout, or of the live config where there is none. */
  resourceVersion: string;
  /** False for a config that nobody manages: only its own changes tell of another content. */
  managed: boolean;
  read(signal: AbortSignal): Promise<WatchPayload>;
}
