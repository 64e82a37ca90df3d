import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';

/**
 * Whether an earlier build wrote this status, which held hashes of the content. The API server drops such fields as soon
 * as the CustomResourceDefinition lacks them, without an event: a status in the cache may still have them.
 */
export function isEarlierStatus({ observed, current, target }: ConfigRolloutStatus): boolean {
  const has = (object: object | undefined, field: string) => object !== undefined && field in object;
  return has(observed, 'liveHash') || has(current, 'contentHash') || has(target, 'contentHash');
}
