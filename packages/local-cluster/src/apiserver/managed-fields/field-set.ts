import { compareSteps } from './path-step.ts';

/**
 * A set of paths, as a tree: each node says whether the path that ends there is in the set. Steps are written as in
 * `fieldsV1` (`f:data`, `k:{"name":"app"}`, `v:"a"`). There are no empty branches: a leaf is always in the set.
 */
export interface FieldSet {
  own: boolean;
  below: Map<string, FieldSet>;
}

export function emptySet(): FieldSet {
  return { own: false, below: new Map() };
}

export function setOf(...paths: (readonly string[])[]): FieldSet {
  const set = emptySet();
  for (const path of paths) insert(set, path);
  return set;
}

/** Mutates the set. */
export function insert(set: FieldSet, path: readonly string[]): void {
  let node = set;
  for (const step of path) {
    let next = node.below.get(step);
    if (next === undefined) {
      next = emptySet();
      node.below.set(step, next);
    }
    node = next;
  }
  node.own = true;
}

export function isEmpty({ own, below }: FieldSet): boolean {
  return !own && below.size === 0;
}

export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let node: FieldSet | undefined = set;
  for (const step of path) node = node?.below.get(step);
  return node?.own ?? false;
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a)) return b;
  if (isEmpty(b)) return a;
  const below = new Map(a.below);
  for (const [step, node] of b.below) {
    const other = below.get(step);
    below.set(step, other === undefined ? node : union(other, node));
  }
  return { own: a.own || b.own, below };
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const below = new Map<string, FieldSet>();
  for (const [step, node] of a.below) {
    const other = b.below.get(step);
    if (other !== undefined) keep(below, step, intersection(node, other));
  }
  return { own: a.own && b.own, below };
}

/** Returns the paths of `a` that are not in `b`. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(b)) return a;
  const below = new Map<string, FieldSet>();
  for (const [step, node] of a.below) {
    const other = b.below.get(step);
    keep(below, step, other === undefined ? node : difference(node, other));
  }
  return { own: a.own && !b.own, below };
}

/** Returns the paths of `a` that are neither in `b` nor below a path of `b`. */
export function without(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(b)) return a;
  if (b.own) return emptySet();
  const below = new Map<string, FieldSet>();
  for (const [step, node] of a.below) {
    const other = b.below.get(step);
    keep(below, step, other === undefined ? node : without(node, other));
  }
  return { own: a.own, below };
}

function keep(below: Map<string, FieldSet>, step: string, node: FieldSet): void {
  if (!isEmpty(node)) below.set(step, node);
}

/** Returns all paths. At each step, paths that end there come first, in the order of compareSteps. */
export function pathsOf(set: FieldSet): string[][] {
  const found: string[][] = set.own ? [[]] : [];
  const visit = ({ below }: FieldSet, path: string[]) => {
    const steps = [...below].sort(([a], [b]) => compareSteps(a, b));
    for (const [step, { own }] of steps) if (own) found.push([...path, step]);
    for (const [step, node] of steps) visit(node, [...path, step]);
  };
  visit(set, []);
  return found;
}
