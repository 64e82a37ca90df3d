/** What the gateway has said about one config. */
export interface Assignment {
  hasAnswered: boolean;
  /** The same for all configs that were assigned to the pod together; absent for a pod without a workload. */
  assigned?: string;
}

/** How long configs that were assigned together are waited for. */
const patienceMs = 1_000;

/**
 * Configs that change together arrive on several streams. Returns how long to wait for the others; 0 when the configs
 * agree, or when they have differed for too long. `since` is when they began to differ, in the time of `now`.
 */
export function agreementWaitMs(
  assignments: readonly Assignment[],
  since: number | undefined,
  now: number,
): number {
  if (agree(assignments)) return 0;
  return Math.max(0, (since ?? now) + patienceMs - now);
}

export function agree(assignments: readonly Assignment[]): boolean {
  const values = new Set(assignments.flatMap(({ assigned }) => assigned ?? []));
  return values.size <= 1 && (values.size === 0 || assignments.every(({ hasAnswered }) => hasAnswered));
}
