import { type Amounts, only } from './amounts.ts';
import { type ChargedPod, isExtended, podUsage } from './pod-usage.ts';
import { type GroupResource, type ResourceQuota, scopesOf } from './quota-object.ts';
import { podIsIn } from './scopes.ts';
import { type ChargedService, serviceNames, serviceUsage } from './service-usage.ts';

/** Kinds with a quota name from before `count/` was added: the plain plural. */
const oldNames = ['configmaps', 'secrets', 'resourcequotas', 'replicationcontrollers'];
const ignored = ['events', 'bindings'];

/** For example `count/deployments.apps`. */
function countName({ group, plural }: GroupResource): string {
  return group === '' ? `count/${plural}` : `count/${plural}.${group}`;
}

const isPods = ({ group, plural }: GroupResource) => group === '' && plural === 'pods';
const isServices = ({ group, plural }: GroupResource) => group === '' && plural === 'services';

/** Whether objects of this collection are charged. Events, bindings and review requests are not. */
export function isCharged({ group, plural }: GroupResource): boolean {
  if (['authentication.k8s.io', 'authorization.k8s.io', 'events.k8s.io'].includes(group)) return false;
  return group !== '' || !ignored.includes(plural);
}

/** The resource names of a quota that apply to objects of this collection. */
export function namesFor(resource: GroupResource, names: Iterable<string>): string[] {
  return [...names].filter((name) => {
    if (name === countName(resource)) return true;
    if (isPods(resource)) return isOfPods(name);
    if (isServices(resource)) return serviceNames.includes(name);
    return resource.group === '' && oldNames.includes(resource.plural) && name === resource.plural;
  });
}

const computed = ['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [
  name,
  `requests.${name}`,
  `limits.${name}`,
]);

function isOfPods(name: string): boolean {
  if (name === 'pods' || computed.includes(name)) return true;
  if (name.startsWith('hugepages-') || name.startsWith('requests.hugepages-')) return true;
  return name.startsWith('requests.') && isExtended(name.slice('requests.'.length));
}

export function usageOf(resource: GroupResource, object: object, now: number): Amounts {
  if (isPods(resource)) return podUsage(object as ChargedPod, now);
  if (isServices(resource)) return serviceUsage(object as ChargedService);
  return new Map(namesFor(resource, [countName(resource), resource.plural]).map((name) => [name, '1']));
}

/** Whether an object is in all scopes of a quota. */
export function isInScopes(
  quota: Pick<ResourceQuota, 'spec'>,
  resource: GroupResource,
  object: object,
): boolean {
  return scopesOf(quota).every((scope) => isPods(resource) && podIsIn(scope, object as ChargedPod));
}

/** The usage of an object that a quota counts. Empty when the quota does not apply to the object. */
export function shareOf(
  quota: Pick<ResourceQuota, 'spec'>,
  names: Iterable<string>,
  resource: GroupResource,
  object: object,
  now: number,
): Amounts {
  const counted = namesFor(resource, names);
  if (counted.length === 0 || !isInScopes(quota, resource, object)) return new Map();
  return only(usageOf(resource, object, now), counted);
}
