import type { IntOrString } from '../../objects/pod.ts';
import type { Deployment } from '../../objects/workloads.ts';

export interface Limits {
  /** Maximum number of pods above the desired number. */
  maxSurge: number;
  /** Maximum number of desired pods that may be unavailable. */
  maxUnavailable: number;
}

/**
 * The limits of a rolling update. Percentages of maxSurge are rounded up, those of maxUnavailable down. When both
 * resolve to 0, maxUnavailable is 1: otherwise the update could never start.
 */
export function limitsOf({ spec }: Deployment): Limits {
  const { replicas, strategy } = spec;
  if (strategy.type !== 'RollingUpdate') return { maxSurge: 0, maxUnavailable: 0 };
  const maxSurge = Math.ceil(share(strategy.rollingUpdate?.maxSurge ?? 0, replicas));
  const asked = Math.floor(share(strategy.rollingUpdate?.maxUnavailable ?? 0, replicas));
  const maxUnavailable = maxSurge === 0 && asked === 0 ? 1 : asked;
  return { maxSurge, maxUnavailable: Math.min(maxUnavailable, replicas) };
}

function share(amount: IntOrString, total: number): number {
  return typeof amount === 'number' ? amount : (Number.parseInt(amount, 10) * total) / 100;
}
