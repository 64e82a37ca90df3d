import { clone, equal, isObject } from '../object.ts';
import { goText } from './go-text.ts';
import { PatchProblem } from './patch-problem.ts';

export const removalPrefix = '$deleteFromPrimitiveList/';
export const orderPrefix = '$setElementOrder/';

type Fields = Record<string, unknown>;
type Merge = (base: Fields, patch: Fields) => Fields;

/** Sets in a list's clothes, such as finalizers: what is new is added. */
export function mergeScalarLists(present: readonly unknown[], change: readonly unknown[], order: unknown): unknown[] {
  const merged = [...present];
  for (const each of change) if (!merged.some((other) => equal(each, other))) merged.push(each);
  return Array.isArray(order) ? sorted(merged, order, equal) : merged;
}

/** Lists whose elements are known by one of their fields. */
export function mergeObjectLists(
  present: readonly unknown[],
  change: readonly unknown[],
  by: string,
  order: unknown,
  merge: Merge,
): unknown[] {
  const elements = change.filter((each): each is Fields => {
    if (!isObject(each)) throw new PatchProblem(`invalid type in list: ${goText(each)}`);
    return true;
  });
  const isReplaced = elements.some((each) => each['$patch'] === 'replace');
  let merged = isReplaced ? [] : present.filter(isObject).map(clone);
  for (const each of elements) {
    const directive = each['$patch'];
    if (directive === 'replace') continue;
    const key = each[by];
    if (key === undefined) throw new PatchProblem(`map: ${goText(each)} does not contain declared merge key: ${by}`);
    if (directive === 'delete') {
      merged = merged.filter((other) => !equal(other[by], key));
      continue;
    }
    const index = merged.findIndex((other) => equal(other[by], key));
    const { $patch: _directive, ...fields } = each;
    if (index < 0) merged.push(merge({}, fields));
    else merged[index] = merge(merged[index] ?? {}, fields);
  }
  if (!Array.isArray(order)) return merged;
  const keys = order.map((each) => (isObject(each) ? each[by] : undefined));
  return sorted(merged, keys, (element, key) => isObject(element) && equal(element[by], key));
}

/** What the order names comes in that order; what it does not name stays behind its neighbour before. */
function sorted<T>(list: readonly T[], order: readonly unknown[], is: (element: T, key: unknown) => boolean): T[] {
  const rank = (element: T) => order.findIndex((key) => is(element, key));
  const named = list.filter((each) => rank(each) >= 0).sort((a, b) => rank(a) - rank(b));
  const result = [...named];
  let before: T | undefined;
  for (const element of list) {
    if (rank(element) < 0) result.splice(before === undefined ? 0 : result.indexOf(before) + 1, 0, element);
    before = element;
  }
  return result;
}
