import type { Interruption } from '../source/source.ts';

/** What the agent reports about itself. */
export interface AgentState {
  /** Why the agent is not ready; undefined once the first set is written and the application is told. */
  notReady: string | undefined;
  /** Why the last reload failed; undefined after a success, and before the first reload. */
  failure: string | undefined;
  /** False when the last good set could not be put back after a failure. */
  isRestored: boolean;
  interruption: Interruption | undefined;
}

/**
 * Why the kubelet should restart the container; undefined when it should not.
 *
 * `standalone`: no other program notices a failed reload, so the container is restarted and the application starts with the
 * configs of that time. `gateway`: the rollout handles failures, and a restart would only disturb it, unless the
 * application is left with files that it rejected.
 */
export function livenessProblem(
  { failure, isRestored, interruption }: AgentState,
  mode: 'standalone' | 'gateway',
  maxInterruptionSeconds: number,
): string | undefined {
  if (mode === 'gateway') return isRestored ? undefined : failure;
  if (failure !== undefined) return failure;
  if (interruption === undefined || maxInterruptionSeconds === 0) return undefined;
  if (interruption.forSeconds < maxInterruptionSeconds) return undefined;
  return `${interruption.problem} for ${Math.floor(interruption.forSeconds)} s`;
}
