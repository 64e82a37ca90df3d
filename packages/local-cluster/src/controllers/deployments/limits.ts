import type { IntOrString } from '../../objects/pod.ts';
import type { Deployment } from '../../objects/workloads.ts';

export interface Limits {
  /** How many pods there may be beyond what is asked for. */
  maxSurge: number;
  /** How many of those asked for may be missing. */
  maxUnavailable: number;
}

/**
 * What a rolling update may do. Of a percentage, more surge and less unavailability are given; when both come out as
 * nothing, one pod may be missing, or the update could never begin.
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
