import type { OwnerReference } from '@trimtab/kube/wire.ts';

/**
 * The owner references of a config with one more owner. A reference to an object of the same kind and name that was
 * deleted is replaced. Returns undefined when the owner is there already.
 */
export function withOwner(
  references: readonly OwnerReference[],
  owner: OwnerReference,
): OwnerReference[] | undefined {
  if (references.some(({ uid }) => uid === owner.uid)) return undefined;
  return [...references.filter((each) => !isSameName(each, owner)), owner];
}

/** The owner references without an owner. Returns undefined when it is not among them. */
export function withoutOwner(
  references: readonly OwnerReference[],
  owner: { kind: string; name: string },
): OwnerReference[] | undefined {
  const left = references.filter((each) => !isSameName(each, owner));
  return left.length === references.length ? undefined : left;
}

function isSameName(a: { kind: string; name: string }, b: { kind: string; name: string }): boolean {
  return a.kind === b.kind && a.name === b.name;
}
