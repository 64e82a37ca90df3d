import { type Environment, Optional } from '@marcbachmann/cel-js';

type Ordered = number | bigint | string | boolean;

class ListFunctions {}

/** Registers Kubernetes' CEL functions on lists. */
export function registerLists(environment: Environment): void {
  environment.registerFunction('list.isSorted(): bool', (list: Ordered[]) =>
    list.every((each, index) => index === 0 || (list[index - 1] as Ordered) <= each),
  );
  environment.registerFunction('list.sum(): dyn', sum);
  environment.registerFunction('list.min(): dyn', (list: Ordered[]) => extreme('min', list, (a, b) => a < b));
  environment.registerFunction('list.max(): dyn', (list: Ordered[]) => extreme('max', list, (a, b) => a > b));
  environment.registerFunction('list.indexOf(dyn): int', (list: unknown[], wanted: unknown) =>
    BigInt(list.indexOf(wanted)),
  );
  environment.registerFunction('list.lastIndexOf(dyn): int', (list: unknown[], wanted: unknown) =>
    BigInt(list.lastIndexOf(wanted)),
  );
  environment.registerFunction('list<list<T>>.flatten(): list<T>', (list: unknown[]) => list.flat());
  environment.registerFunction('list.flatten(int): list', (list: unknown[], depth: bigint) =>
    list.flat(Number(depth)),
  );
  environment.registerFunction('list<T>.slice(int, int): list<T>', slice);
  environment.registerFunction('list<T>.reverse(): list<T>', (list: unknown[]) => list.toReversed());
  environment.registerFunction('list<T>.distinct(): list<T>', (list: unknown[]) => [...new Set(list)]);
  environment.registerFunction('list<T>.sort(): list<T>', (list: Ordered[]) =>
    list.toSorted((a, b) => (a < b ? -1 : Number(a > b))),
  );
  environment.registerFunction('list.first(): optional<dyn>', (list: unknown[]) => optional(list[0]));
  environment.registerFunction('list.last(): optional<dyn>', (list: unknown[]) => optional(list.at(-1)));
  environment.registerType('listFunctions', ListFunctions);
  environment.registerConstant('lists', 'listFunctions', new ListFunctions());
  environment.registerFunction('listFunctions.range(int): list<int>', (_: unknown, length: bigint) =>
    Array.from({ length: Number(length) }, (_, index) => BigInt(index)),
  );
}

function optional(value: unknown): Optional {
  return value === undefined ? Optional.none() : Optional.of(value);
}

function slice(list: unknown[], start: bigint, end: bigint): unknown[] {
  if (start < 0n || end < 0n)
    throw new Error(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end)
    throw new Error(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > list.length) throw new Error(`cannot slice(${start}, ${end}), list is length ${list.length}`);
  return list.slice(Number(start), Number(end));
}

/** Sums ints or doubles. CEL has no sum of both, so a list with a double is summed as doubles. */
function sum(list: (number | bigint)[]): number | bigint {
  if (list.some((each) => typeof each === 'number'))
    return list.reduce<number>((total, each) => total + Number(each), 0);
  return list.reduce<bigint>((total, each) => total + BigInt(each), 0n);
}

function extreme(name: string, list: Ordered[], isBetter: (a: Ordered, b: Ordered) => boolean): Ordered {
  const [first, ...rest] = list;
  if (first === undefined) throw new Error(`${name} called on empty list`);
  return rest.reduce((best, each) => (isBetter(each, best) ? each : best), first);
}
