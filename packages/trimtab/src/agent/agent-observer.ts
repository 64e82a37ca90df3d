import type { SourceState } from './files/file-set.ts';
import type { Config } from './source/config.ts';

/** Learns what the application runs with: it tells the gateway and the in-pod endpoint. */
export interface AgentObserver {
  /** The application runs with these configs, which are also the desired ones. Called again without a change. */
  accepted(sources: readonly SourceState[]): void;
  /** The desired configs cannot be used. The reason contains no content of configs. Called again without a change. */
  refused(sources: readonly SourceState[], good: readonly SourceState[], reason: string): void;
  /** The application runs with these configs, desired or not. Called again without a change. */
  inUse(configs: readonly Config[]): void;
}
