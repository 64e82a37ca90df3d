import type { OwnerReference } from '@trimtab/kube/wire.ts';
import { isInReach, type Node, type OwnerGraph, refersTo } from './owner-graph.ts';

interface Followed {
  /** UIDs of objects that may now have to be deleted, or whose deletion may now proceed. */
  look: Set<string>;
  /** Owner references into another namespace, which are never valid. */
  outOfReach: { dependent: Node; reference: OwnerReference }[];
}

/**
 * Applies one change of one object to the graph, and returns the affected objects. These are hints: the collector reads
 * each object from the API server before it acts.
 */
export function followChange(graph: OwnerGraph, before: Node | undefined, after: Node | undefined): Followed {
  const followed: Followed = { look: new Set(), outOfReach: [] };
  // The object was deleted and recreated under the same name between two events.
  if (before !== undefined && before.uid !== after?.uid) forget(graph, before, followed);
  if (after === undefined) return followed;
  const known = before?.uid === after.uid ? before : undefined;
  graph.put(after);
  if (known === undefined) greet(graph, after, followed);
  for (const reference of after.owners)
    if (!known?.owners.some((each) => isSame(each, reference))) check(graph, after, reference, followed);
  for (const reference of known?.owners ?? []) unblock(graph, after, reference, followed);
  if (after.waitsFor !== undefined && after.waitsFor !== known?.waitsFor) {
    followed.look.add(after.uid);
    if (after.waitsFor === 'dependents')
      for (const { uid } of graph.dependentsOf(after.uid)) followed.look.add(uid);
  }
  return followed;
}

function forget(graph: OwnerGraph, gone: Node, { look }: Followed): void {
  graph.remove(gone.uid);
  for (const { uid } of graph.dependentsOf(gone.uid)) look.add(uid);
  for (const { uid } of gone.owners) if (graph.get(uid)?.waitsFor === 'dependents') look.add(uid);
}

/** Checks the references of dependents that were observed before their owner. */
function greet(graph: OwnerGraph, owner: Node, followed: Followed): void {
  for (const dependent of graph.dependentsOf(owner.uid))
    for (const reference of dependent.owners)
      if (reference.uid === owner.uid && dependent.uid !== owner.uid)
        check(graph, dependent, reference, followed);
}

function check(graph: OwnerGraph, dependent: Node, reference: OwnerReference, followed: Followed): void {
  const owner = graph.get(reference.uid);
  if (owner !== undefined && refersTo(dependent, reference, owner)) return;
  followed.look.add(dependent.uid);
  if (owner !== undefined && !isInReach(dependent, owner)) followed.outOfReach.push({ dependent, reference });
}

/** A waiting owner may be unblocked when this dependent no longer blocks its deletion. */
function unblock(graph: OwnerGraph, after: Node, reference: OwnerReference, { look }: Followed): void {
  if (reference.blockOwnerDeletion !== true) return;
  const still = after.owners.some(
    ({ uid, blockOwnerDeletion }) => uid === reference.uid && blockOwnerDeletion,
  );
  if (!still && graph.get(reference.uid)?.waitsFor === 'dependents') look.add(reference.uid);
}

function isSame(one: OwnerReference, other: OwnerReference): boolean {
  return (
    one.uid === other.uid &&
    one.name === other.name &&
    one.kind === other.kind &&
    one.apiVersion === other.apiVersion
  );
}
