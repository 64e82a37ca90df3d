import { type Amounts, added, amountsOf, listOf, most, only, sameAmounts } from '../../quotas/amounts.ts';
import { namesFor, shareOf } from '../../quotas/counted.ts';
import type { GroupResource, ResourceQuota } from '../../quotas/quota-object.ts';

/** All objects of a collection in one namespace. */
export interface Collection {
  resource: GroupResource;
  objects: readonly object[];
}

/** Kubernetes resources that the local cluster does not serve: their usage is always 0. */
const neverThere = ['persistentvolumeclaims', 'count/persistentvolumeclaims', 'requests.storage'];
const ofStorageClass = /\.storageclass\.storage\.k8s\.io\/(persistentvolumeclaims|requests\.storage)$/;

/**
 * The desired status of a quota for the observed objects, or undefined when the status is up to date. Names of unknown
 * resources keep their current usage. With `onlyMore` usage never decreases: admission may have charged objects that
 * the caches do not show yet.
 */
export function planQuotaStatus(
  quota: ResourceQuota,
  collections: readonly Collection[],
  now: number,
  onlyMore = false,
): ResourceQuota['status'] | undefined {
  const { hard = {} } = quota.spec;
  const names = Object.keys(hard);
  let counted: Amounts = new Map(
    names.filter((name) => neverThere.includes(name) || ofStorageClass.test(name)).map((name) => [name, '0']),
  );
  for (const { resource, objects } of collections) {
    const nothing: Amounts = new Map(namesFor(resource, names).map((name) => [name, '0']));
    const shares = objects.map((object) => shareOf(quota, names, resource, object, now));
    counted = added(counted, shares.reduce(added, nothing));
  }
  const before = amountsOf(quota.status.used);
  const used = only(onlyMore ? most(before, counted) : new Map([...before, ...counted]), names);
  const isSame =
    quota.status.hard !== undefined &&
    quota.status.used !== undefined &&
    sameAmounts(amountsOf(quota.status.hard), amountsOf(hard)) &&
    sameAmounts(before, used);
  return isSame ? undefined : { hard, used: listOf(used) };
}
