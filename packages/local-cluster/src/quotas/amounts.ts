import { addQuantities, compareQuantities, subtractQuantities } from '../apiserver/schema/quantity-sums.ts';

/** Quantities by the name of what they are of: `requests.cpu` → `500m`. */
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

/** The larger of each. */
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

/** What is more in the first than in the second. */
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

/** Those that are something. */
export function withoutZeros(amounts: Amounts): Amounts {
  return new Map([...amounts].filter(([, amount]) => compareQuantities(amount, '0') !== 0));
}

/** The same amounts of the same things, however they are written. */
export function sameAmounts(one: Amounts, other: Amounts): boolean {
  return (
    one.size === other.size &&
    [...one].every(([name, amount]) => {
      const there = other.get(name);
      return there !== undefined && compareQuantities(amount, there) === 0;
    })
  );
}

/** `pods=1,requests.cpu=500m`, by the alphabet. */
export function amountsText(amounts: Amounts): string {
  return [...amounts]
    .map(([name, amount]) => `${name}=${amount}`)
    .sort()
    .join(',');
}
