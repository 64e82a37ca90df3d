import { type Amounts, added, amountsOf, listOf, most, only, sameAmounts } from '../../quotas/amounts.ts';
import { namesFor, shareOf } from '../../quotas/counted.ts';
import type { GroupResource, ResourceQuota } from '../../quotas/quota-object.ts';

/** All objects of a collection that a namespace has. */
export interface Collection {
  resource: GroupResource;
  objects: readonly object[];
}

/** Of what Kubernetes has and the local cluster has not, there is always none. */
const neverThere = [
  'persistentvolumeclaims',
  'count/persistentvolumeclaims',
  'requests.storage',
  'replicationcontrollers',
  'count/replicationcontrollers',
];
const ofStorageClass = /\.storageclass\.storage\.k8s\.io\/(persistentvolumeclaims|requests\.storage)$/;

/**
 * What a quota's status is to say, by what is there; undefined when it says so already. Names that stand for nothing
 * that is known keep what they have. With `onlyMore` nothing is taken off: what was charged may be still to come.
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
