import { type Config, type ConfigRef, displayName } from './config.ts';

/** What is known of one config. */
export type Observed =
  /** `isAssumed`: the source has not answered, and this is the config of the last good set, or of the pod's birth. */
  | { state: 'present'; config: Config; isAssumed?: boolean }
  | { state: 'missing'; ref: ConfigRef }
  /** The server has not answered yet. */
  | { state: 'unknown'; ref: ConfigRef };

/** Where the agent gets its configs from. */
export interface Source {
  /** The configs in the order of the flags. */
  observe(): Observed[];
  /** Why the agent may not know the newest state, and since when; undefined while the source works. */
  interruption(): Interruption | undefined;
  /** Runs until the signal aborts; calls `onChange` when `observe` may return something else. */
  run(onChange: () => void, signal: AbortSignal): Promise<void>;
}

export interface Interruption {
  forSeconds: number;
  /** `watch of configmap production/prometheus: ECONNREFUSED`. */
  problem: string;
}

export function isAssumed(observed: readonly Observed[]): boolean {
  return observed.some((each) => each.state === 'present' && each.isAssumed === true);
}

/** All configs, or undefined while one is missing or unknown. */
export function presentConfigs(observed: readonly Observed[]): Config[] | undefined {
  const configs = observed.flatMap((each) => (each.state === 'present' ? [each.config] : []));
  return configs.length === observed.length ? configs : undefined;
}

/** `configmap production/prometheus does not exist`; empty when all configs are present. */
export function missingConfigs(observed: readonly Observed[]): string {
  const texts = observed.flatMap((each) => {
    if (each.state === 'present') return [];
    return [`${displayName(each.ref)} ${each.state === 'missing' ? 'does not exist' : 'is not known yet'}`];
  });
  return texts.join('; ');
}

export function includesSecret(observed: readonly Observed[]): boolean {
  return observed.some((each) => (each.state === 'present' ? each.config.kind : each.ref.kind) === 'Secret');
}
