import { configMaps } from '@trimtab/kube/resource.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { followChange } from './follow-change.ts';
import { type Node, nodeOf, OwnerGraph } from './owner-graph.ts';
import { type OwnerState, planCollection } from './plan-collection.ts';

interface Reference {
  uid: string;
  blocks?: boolean;
}

function node(uid: string, owners: Reference[] = [], more: Partial<Node> = {}): Node {
  const ownerReferences = owners.map((owner) => ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', name: owner.uid, uid: owner.uid },
    ...(owner.blocks && { blockOwnerDeletion: true }),
  }));
  return {
    ...nodeOf(configMaps, { metadata: { uid, namespace: 'a', name: uid, ownerReferences } }),
    ...more,
  };
}
const waiting = { isGoing: true, waitsFor: 'dependents' } as const;

function graphOf(...nodes: Node[]): OwnerGraph {
  const graph = new OwnerGraph();
  for (const each of nodes) graph.put(each);
  return graph;
}

test('an object that is new concerns nobody, when its owner is known', () => {
  expect(followChange(graphOf(node('o')), undefined, node('d', [{ uid: 'o' }])).look).toEqual(new Set());
});

test('an object whose owner nobody has seen is looked at', () => {
  expect(followChange(graphOf(), undefined, node('d', [{ uid: 'o' }])).look).toEqual(new Set(['d']));
});

test('when an owner goes, all that it owns is looked at', () => {
  const graph = graphOf(node('o'), node('d', [{ uid: 'o' }]), node('e', [{ uid: 'o' }]), node('f'));
  expect(followChange(graph, node('o'), undefined).look).toEqual(new Set(['d', 'e']));
});

test('an object that was made again under its name is another one', () => {
  const graph = graphOf(node('old'), node('d', [{ uid: 'old' }]));
  const { look } = followChange(graph, node('old'), node('new', [], { name: 'old' }));
  expect([look, graph.get('old'), graph.get('new')?.name]).toEqual([new Set(['d']), undefined, 'old']);
});

test('an owner that begins to wait has itself and its dependents looked at', () => {
  const graph = graphOf(node('o'), node('d', [{ uid: 'o' }]));
  expect(followChange(graph, node('o'), node('o', [], waiting)).look).toEqual(new Set(['o', 'd']));
  expect(followChange(graph, node('o', [], waiting), node('o', [], waiting)).look).toEqual(new Set());
});

test('an owner that waits is looked at when a dependent goes, or does not block any more', () => {
  const blocking = node('d', [{ uid: 'o', blocks: true }]);
  for (const after of [undefined, node('d', [{ uid: 'o' }]), node('d')]) {
    const graph = graphOf(node('o', [], waiting), blocking);
    expect(followChange(graph, blocking, after).look).toEqual(new Set(['o']));
  }
});

test('a reference into another namespace is told, whoever of the two is seen first', () => {
  const owner = node('o', [], { namespace: 'b' });
  const dependent = node('d', [{ uid: 'o' }]);
  for (const [first, second] of [
    [owner, dependent],
    [dependent, owner],
  ] as const) {
    const { look, outOfReach } = followChange(graphOf(first), undefined, second);
    expect(look).toEqual(new Set(['d']));
    expect(outOfReach.map(({ dependent: { uid }, reference }) => [uid, reference.uid])).toEqual([['d', 'o']]);
  }
});

test('an owner in no namespace is in reach of all', () => {
  const owner = node('o', [], { namespace: undefined });
  expect(followChange(graphOf(owner), undefined, node('d', [{ uid: 'o' }])).outOfReach).toEqual([]);
});

/** An in-memory server: follows each change and collects the affected objects until none is left. */
function settle(world: Map<string, Node>, doomed: string, policy: 'Background' | 'Foreground'): Set<string> {
  const graph = graphOf(...world.values());
  const queue = new Set<string>();
  const write = (uid: string, after: Node | undefined) => {
    const before = world.get(uid);
    if (after === undefined) world.delete(uid);
    else world.set(uid, after);
    for (const each of followChange(graph, before, after).look) queue.add(each);
  };
  const remove = (target: Node, how: string) =>
    write(target.uid, how === 'Foreground' ? { ...target, ...waiting } : undefined);
  const start = world.get(doomed);
  if (start !== undefined) remove(start, policy);
  for (const uid of queue) {
    queue.delete(uid);
    const now = world.get(uid);
    if (now === undefined) continue;
    if (now.waitsFor === 'dependents') {
      const blocking = graph.blockingDependentsOf(uid);
      if (blocking.length === 0) write(uid, undefined);
      for (const each of blocking) if (each.waitsFor === undefined) queue.add(each.uid);
      continue;
    }
    const owners = now.owners.map((reference) => {
      const owner = world.get(reference.uid);
      const state: OwnerState = owner === undefined ? 'absent' : owner.waitsFor ? 'waiting' : 'solid';
      return { reference, state };
    });
    const dependents = graph.dependentsOf(uid).map(({ waitsFor }) => ({ waits: waitsFor === 'dependents' }));
    const plan = planCollection({ owners, finalizers: [], dependents });
    if (plan.act === 'drop-owners')
      write(uid, { ...now, owners: now.owners.filter((each) => !plan.uids.includes(each.uid)) });
    if (plan.act !== 'delete') continue;
    const unblocked = { ...now, owners: now.owners.map((each) => ({ ...each, blockOwnerDeletion: false })) };
    if (plan.unblock) write(uid, unblocked);
    remove(plan.unblock ? unblocked : now, plan.policy);
  }
  return new Set(world.keys());
}

/** The expected result for an acyclic graph: the objects that remain when one object is deleted. */
function leftOf(nodes: readonly Node[], doomed: string): Set<string> {
  const left = new Set(nodes.map(({ uid }) => uid));
  left.delete(doomed);
  for (let size = -1; size !== left.size; ) {
    size = left.size;
    for (const { uid, owners } of nodes)
      if (owners.length > 0 && !owners.some((owner) => left.has(owner.uid))) left.delete(uid);
  }
  return left;
}

test('in the end what has an owner is there, what has none left is gone, and nobody waits', () => {
  const size = 8;
  // Owners have smaller numbers, which rules out cycles.
  const owned = fc.array(fc.record({ of: fc.nat(size - 1), blocks: fc.boolean() }), { maxLength: 3 });
  fc.assert(
    fc.property(
      fc.array(owned, { minLength: size, maxLength: size }),
      fc.nat(size - 1),
      fc.constantFrom('Background' as const, 'Foreground' as const),
      (lists, doomed, policy) => {
        const nodes = lists.map((list, index) => {
          const owners = new Map(list.filter(({ of }) => of < index).map((each) => [each.of, each.blocks]));
          return node(
            String(index),
            [...owners].map(([of, blocks]) => ({ uid: String(of), blocks })),
          );
        });
        const world = new Map(nodes.map((each) => [each.uid, each]));
        const left = settle(world, String(doomed), policy);
        expect(left).toEqual(leftOf(nodes, String(doomed)));
        expect([...world.values()].filter(({ isGoing }) => isGoing)).toEqual([]);
      },
    ),
    { numRuns: 2_000 },
  );
});
