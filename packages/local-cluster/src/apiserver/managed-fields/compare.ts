import { equal, isObject } from '../object.ts';
import { emptySet, type FieldSet, insert, isEmpty, without } from './field-set.ts';
import { itemsByStep } from './list-items.ts';
import { fieldStep } from './path-step.ts';
import { formOf, type ListShape, type MapShape, type Shape, shapeOfField } from './shape.ts';

export interface Comparison {
  added: FieldSet;
  modified: FieldSet;
  removed: FieldSet;
}

/** Returns the fields that differ between two states of an object. */
export function compare(before: unknown, after: unknown, shape: Shape): Comparison {
  const found = { added: emptySet(), modified: emptySet(), removed: emptySet() };
  compareAt(before, after, shape, [], found);
  return found;
}

export function isSame({ added, modified, removed }: Comparison): boolean {
  return isEmpty(added) && isEmpty(modified) && isEmpty(removed);
}

/** Removes fields from a comparison, such as those that a subresource cannot change. */
export function ignoring({ added, modified, removed }: Comparison, fields: FieldSet): Comparison {
  return {
    added: without(added, fields),
    modified: without(modified, fields),
    removed: without(removed, fields),
  };
}

function compareAt(before: unknown, after: unknown, shape: Shape, path: string[], found: Comparison): void {
  const left = formOf(shape, before);
  const right = formOf(shape, after);
  let isLeaf = false;
  if (after === undefined) isLeaf = compareForm(before, after, left, path, found);
  else if (before === undefined || left === right) isLeaf = compareForm(before, after, right, path, found);
  else {
    compareForm(before, after, left, path, found);
    isLeaf = compareForm(before, after, right, path, found);
  }
  if (isLeaf) return;
  if (before === undefined) insert(found.added, path);
  else if (after === undefined) insert(found.removed, path);
}

/** Returns whether the value was compared as a whole. */
function compareForm(
  before: unknown,
  after: unknown,
  form: ReturnType<typeof formOf>,
  path: string[],
  found: Comparison,
): boolean {
  if (form.is === 'scalar') return compareWhole(before, after, path, found);
  if (form.is === 'list') {
    const left = Array.isArray(before) ? before : [];
    const right = Array.isArray(after) ? after : [];
    const isBare = left.length === 0 && right.length === 0;
    if (form.how === 'atomic' || isBare) return compareWhole(before, after, path, found);
    compareLists(left, right, form, path, found);
    return false;
  }
  const left = isObject(before) ? before : {};
  const right = isObject(after) ? after : {};
  if (form.atomic || (isBareMap(left) && isBareMap(right))) return compareWhole(before, after, path, found);
  compareMaps(left, right, form, path, found);
  return false;
}

function isBareMap(map: object): boolean {
  for (const _ in map) return false;
  return true;
}

function compareWhole(before: unknown, after: unknown, path: string[], found: Comparison): true {
  if (before === undefined) insert(found.added, path);
  else if (after === undefined) insert(found.removed, path);
  else if (!equal(before, after)) insert(found.modified, path);
  return true;
}

type Fields = Record<string, unknown>;

function compareMaps(left: Fields, right: Fields, map: MapShape, path: string[], found: Comparison): void {
  const visit = (key: string) => {
    const before = own(left, key);
    const after = own(right, key);
    if (before === after) return;
    compareAt(before, after, shapeOfField(map, key), [...path, fieldStep(key)], found);
  };
  for (const key of Object.keys(left)) visit(key);
  for (const key of Object.keys(right)) if (!Object.hasOwn(left, key)) visit(key);
}

function own(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

function compareLists(
  left: unknown[],
  right: unknown[],
  list: ListShape,
  path: string[],
  found: Comparison,
): void {
  const before = itemsByStep(left, list);
  const after = itemsByStep(right, list);
  for (const step of new Set([...before.keys(), ...after.keys()])) {
    const olds = before.get(step) ?? [];
    const news = after.get(step) ?? [];
    const inner = [...path, step];
    const item = (a: unknown, b: unknown) => compareAt(a, b, list.of, inner, found);
    if (olds.length <= 1 && news.length <= 1) item(olds[0], news[0]);
    else if (olds.length > 1 && news.length > 1) {
      if (!equal(olds, news)) insert(found.modified, inner);
    } else if (olds.length > 1) {
      if (news.length > 0) item(undefined, news[0]);
      insert(found.removed, inner);
    } else {
      if (olds.length > 0) item(olds[0], undefined);
      insert(found.added, inner);
    }
  }
}
