import type { Environment } from '@marcbachmann/cel-js';

type Ordered = number | bigint | string | boolean;

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
