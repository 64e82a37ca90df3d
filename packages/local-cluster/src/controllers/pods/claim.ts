import type { KubeObject, OwnerReference } from '@trimtab/kube/wire.ts';
import { type LabelSelector, labelsMatch } from '../../apiserver/selector/object-selector.ts';

export interface Claim<T> {
  /** Objects that the owner controls and selects. */
  owned: T[];
  /** Objects that the owner selects and that have no controller: to be adopted. */
  adopt: T[];
  /** Objects that the owner controls and no longer selects: to be released. */
  release: T[];
}

/**
 * Decides which objects of a namespace belong to an owner, as Kubernetes' controllers do: by the controller reference
 * first, by the selector second. An owner that is being deleted neither adopts nor releases objects.
 */
export function claim<T extends KubeObject>(
  owner: KubeObject,
  selector: LabelSelector,
  candidates: readonly T[],
): Claim<T> {
  const found: Claim<T> = { owned: [], adopt: [], release: [] };
  const isGoing = owner.metadata.deletionTimestamp !== undefined;
  for (const each of candidates) {
    const controller = controllerOf(each);
    const selected = labelsMatch(selector, each.metadata.labels ?? {});
    if (controller !== undefined) {
      if (controller.uid !== owner.metadata.uid) continue;
      if (selected) found.owned.push(each);
      else if (!isGoing) found.release.push(each);
    } else if (selected && !isGoing && each.metadata.deletionTimestamp === undefined) found.adopt.push(each);
  }
  return found;
}

export function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}
