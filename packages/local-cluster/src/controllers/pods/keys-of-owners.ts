import type { KubeObject } from '@trimtab/kube/wire.ts';
import { type LabelSelector, labelsMatch } from '../../apiserver/selector/object-selector.ts';
import { controllerOf } from './claim.ts';

interface Selecting extends KubeObject {
  spec: { selector: LabelSelector };
}

/**
 * Keys to enqueue when an object changes: its current and its previous controller. For an object without a controller,
 * every owner of the kind whose selector matches is enqueued, because it may adopt the object.
 */
export function keysOfOwners(
  kind: string,
  { before, after }: { before?: KubeObject | undefined; after?: KubeObject | undefined },
  owners: { inNamespace(namespace: string): Selecting[] },
): Set<string> {
  const keys = new Set<string>();
  for (const object of [before, after]) {
    const owner = object && controllerOf(object);
    if (owner?.kind === kind) keys.add(`${object?.metadata.namespace}/${owner.name}`);
  }
  if (after === undefined || controllerOf(after) !== undefined) return keys;
  const { namespace = '', labels = {} } = after.metadata;
  for (const { metadata, spec } of owners.inNamespace(namespace))
    if (labelsMatch(spec.selector, labels)) keys.add(`${namespace}/${metadata.name}`);
  return keys;
}
