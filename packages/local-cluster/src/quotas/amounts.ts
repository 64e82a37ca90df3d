import { addQuantities, compareQuantities, subtractQuantities } from '../apiserver/schema/quantity-sums.ts';

/** Quantities by resource name: `requests.cpu` → `500m`. */
export type Amounts = ReadonlyMap<string, string>;

export function amountsOf(list: Readonly<Record<string, string>> = {}): Amounts {
  return new Map(Object.entries(list));
}

export function listOf(amounts: Amounts): Record<string, string> {
  return Object.fromEntries(amounts);
}

export function added(one: Amounts, other: Amounts): Amounts {
  return joined(one, other, addQuantities);
}

/** The larger quantity of each resource. */
export function most(one: Amounts, other: Amounts): Amounts {
  return joined(one, other, (here, there) => (compareQuantities(here, there) < 0 ? there : here));
}

function joined(
  one: Amounts,
  other: Amounts,
  join: (here: string, there: string) => string,
): Map<string, string> {
  const all = new Map(one);
  for (const [name, there] of other) {
    const here = all.get(name);
    all.set(name, here === undefined ? there : join(here, there));
  }
  return all;
}

/** The positive differences from `before` to `after`. */
export function growth(after: Amounts, before: Amounts): Amounts {
  const grown = [...after].map(([name, there]): [string, string] => {
    const here = before.get(name);
    return [name, here === undefined ? there : subtractQuantities(there, here)];
  });
  return new Map(grown.filter(([, amount]) => compareQuantities(amount, '0') > 0));
}

export function only(amounts: Amounts, names: Iterable<string>): Amounts {
  const wanted = new Set(names);
  return new Map([...amounts].filter(([name]) => wanted.has(name)));
}

export function withoutZeros(amounts: Amounts): Amounts {
  return new Map([...amounts].filter(([, amount]) => compareQuantities(amount, '0') !== 0));
}

/** Compares by value: `0.1` equals `100m`. */
export function sameAmounts(one: Amounts, other: Amounts): boolean {
  return (
    one.size === other.size &&
    [...one].every(([name, amount]) => {
      const there = other.get(name);
      return there !== undefined && compareQuantities(amount, there) === 0;
    })
  );
}

/** The format of Kubernetes' quota messages, in alphabetical order: `pods=1,requests.cpu=500m`. */
export function amountsText(amounts: Amounts): string {
  return [...amounts]
    .map(([name, amount]) => `${name}=${amount}`)
    .sort()
    .join(',');
}
