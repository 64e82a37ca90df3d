import { compareQuantities } from '../apiserver/schema/quantity-sums.ts';
import {
  type Amounts,
  added,
  amountsOf,
  amountsText,
  growth,
  listOf,
  only,
  withoutZeros,
} from './amounts.ts';
import { isInScopes, namesFor, usageOf } from './counted.ts';
import { type ChargedPod, missingAmounts } from './pod-usage.ts';
import type { GroupResource, ResourceQuota } from './quota-object.ts';

/** A write that the quotas of its namespace may charge. */
export interface Charge {
  resource: GroupResource;
  object: object;
  /** The previous object, for an update. */
  old?: object;
  /** Whether the write updates the status subresource. A status update is charged and never rejected. */
  isStatus: boolean;
}

export type Charged = { quotas: ResourceQuota[] } | { refused: string };

/**
 * Charges a write to the quotas, or returns the reason for rejecting it. A quota with an empty status, whose usage has
 * not been counted yet, does not apply.
 */
export function charge(quotas: readonly ResourceQuota[], write: Charge, now: number): Charged {
  const { resource, object, old } = write;
  const usage = usageOf(resource, object, now);
  const before = old === undefined ? undefined : usageOf(resource, old, now);
  const after: ResourceQuota[] = [];
  const concerned = quotas.map((quota) => {
    const names = namesFor(resource, Object.keys(quota.status.hard ?? {}));
    return names.length > 0 && isInScopes(quota, resource, object) ? names : undefined;
  });
  for (const [index, quota] of quotas.entries()) {
    const names = concerned[index];
    const problem = names && unmet(quota, names, write);
    if (problem !== undefined) return { refused: problem };
  }
  for (const [index, quota] of quotas.entries()) {
    if (concerned[index] === undefined) {
      after.push(quota);
      continue;
    }
    const wasIn = old !== undefined && isInScopes(quota, resource, old);
    const asked = wasIn && before !== undefined ? growth(usage, before) : withoutZeros(usage);
    const requested = only(asked, Object.keys(quota.status.hard ?? {}));
    const used = added(amountsOf(quota.status.used), requested);
    const refused = write.isStatus ? undefined : exceeded(quota, requested, used);
    if (refused !== undefined) return { refused };
    after.push(requested.size === 0 ? quota : { ...quota, status: { ...quota.status, used: listOf(used) } });
  }
  return { quotas: after };
}

/** The reason why a write cannot be charged: a container lacks a mandatory value, or the usage is unknown. */
function unmet(
  { metadata, status }: ResourceQuota,
  names: readonly string[],
  write: Charge,
): string | undefined {
  const { resource, object } = write;
  const isPod = resource.group === '' && resource.plural === 'pods';
  const missing = isPod ? missingAmounts(names, object as ChargedPod) : undefined;
  if (missing !== undefined) return `failed quota: ${metadata.name}: ${missing}`;
  if (names.every((name) => status.used?.[name] !== undefined)) return undefined;
  return `status unknown for quota: ${metadata.name}, resources: ${names.toSorted().join(',')}`;
}

function exceeded(
  { metadata, status }: ResourceQuota,
  requested: Amounts,
  used: Amounts,
): string | undefined {
  const hard = amountsOf(status.hard);
  const over = [...requested.keys()].filter(
    (name) => compareQuantities(used.get(name) ?? '0', hard.get(name) ?? '0') > 0,
  );
  if (over.length === 0) return undefined;
  const text = (amounts: Amounts) => amountsText(only(amounts, over));
  const before = amountsOf(status.used);
  return `exceeded quota: ${metadata.name}, requested: ${text(requested)}, used: ${text(before)}, limited: ${text(hard)}`;
}
