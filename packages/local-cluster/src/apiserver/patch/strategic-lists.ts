import { clone, equal, isObject } from '../object.ts';
import { goText } from './go-text.ts';
import { PatchProblem } from './patch-problem.ts';

export const removalPrefix = '$deleteFromPrimitiveList/';
export const orderPrefix = '$setElementOrder/';

type Fields = Record<string, unknown>;
type Merge = (base: Fields, patch: Fields) => Fields;

/** Merges lists that are sets, such as finalizers: new elements are added. */
export function mergeScalarLists(
  present: readonly unknown[],
  change: readonly unknown[],
  order: unknown,
): unknown[] {
  const merged = [...present];
  for (const each of change) if (!merged.some((other) => equal(each, other))) merged.push(each);
  return sorted(merged, Array.isArray(order) ? order : change, present, (each) => each);
}

/** Merges lists whose elements are identified by one of their fields. When `present` is undefined, all are new. */
export function mergeObjectLists(
  present: readonly unknown[] | undefined,
  change: readonly unknown[],
  by: string,
  order: unknown,
  merge: Merge,
): unknown[] {
  const elements = change.map(element);
  checkOrder(elements, by, order);
  if (present === undefined)
    return elements.filter((each) => each['$patch'] === undefined).map((each) => merge({}, each));
  const isReplaced = elements.some((each) => each['$patch'] === 'replace');
  let merged = isReplaced ? [] : present.filter(isObject).map(clone);
  for (const { $patch: directive, ...fields } of elements) {
    if (directive === 'replace') continue;
    const key = fields[by];
    if (key === undefined)
      throw new PatchProblem(`map: ${goText(fields)} does not contain declared merge key: ${by}`);
    const index = merged.findIndex((other) => equal(other[by], key));
    if (directive === 'delete') merged = merged.filter((other) => !equal(other[by], key));
    else if (index < 0) merged.push(merge({}, fields));
    else merged[index] = merge(merged[index] ?? {}, fields);
  }
  const keyOf = (each: unknown) => (isObject(each) ? each[by] : undefined);
  return sorted(merged, (Array.isArray(order) ? order : change).map(keyOf), present, keyOf);
}

/** `$setElementOrder` must contain all elements of the patch. */
function checkOrder(elements: readonly Fields[], by: string, order: unknown): void {
  if (!Array.isArray(order)) return;
  const isNamed = (each: Fields) => order.some((other) => isObject(other) && equal(other[by], each[by]));
  if (elements.every((each) => each['$patch'] !== undefined || isNamed(each))) return;
  throw new PatchProblem(
    `The order in patch list:\n${goText(elements)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`,
  );
}

const directives = [undefined, 'delete', 'replace', 'merge'];

function element(value: unknown): Fields {
  if (!isObject(value)) throw new PatchProblem(`invalid type in list: ${goText(value)}`);
  if (!directives.includes(value['$patch'] as string | undefined))
    throw new PatchProblem(`unknown patch type: ${String(value['$patch'])} in map: ${goText(value)}`);
  return value;
}

/**
 * Orders elements of the patch as in the patch, and the rest as in the old list. An element of the rest precedes the
 * next element of the patch only if it did so in the old list.
 */
function sorted<T>(
  merged: readonly T[],
  order: readonly unknown[],
  before: readonly unknown[],
  keyOf: (element: unknown) => unknown,
): T[] {
  const rank = (each: T) => order.findIndex((key) => equal(keyOf(each), key));
  const oldRank = (each: T) => before.findIndex((other) => equal(keyOf(other), keyOf(each)));
  const named = merged.filter((each) => rank(each) >= 0).sort((a, b) => rank(a) - rank(b));
  const rest = merged.filter((each) => rank(each) < 0);
  const result: T[] = [];
  while (named.length > 0 && rest.length > 0) {
    const [next, other] = [named[0] as T, rest[0] as T];
    const isRestFirst = oldRank(next) >= 0 && oldRank(other) >= 0 && oldRank(other) < oldRank(next);
    result.push((isRestFirst ? rest.shift() : named.shift()) as T);
  }
  return [...result, ...named, ...rest];
}
