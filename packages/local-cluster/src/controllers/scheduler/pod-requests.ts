import { quantityValue } from '../../apiserver/schema/quantity.ts';
import type { Container, PodSpec } from '../../objects/pod.ts';

/** Amounts by resource name: CPU in millicores, memory in bytes, other resources in units. */
export type Amounts = ReadonlyMap<string, number>;

/** Parses a resource list. Amounts are rounded up to whole units, so a pod never gets less than it requests. */
export function amountsOf(list: Readonly<Record<string, string>> = {}): Amounts {
  return new Map(
    Object.entries(list).map(([name, text]) => {
      const value = quantityValue(text) ?? 0;
      // Subtract the floating-point error: it must not round up to another unit.
      return [name, Math.ceil((name === 'cpu' ? value * 1000 : value) - 1e-6)];
    }),
  );
}

/**
 * The effective resource requests of a pod: the sum of its containers and sidecars, or the maximum during
 * initialisation, whichever is higher. Pod-level requests take precedence.
 */
export function podRequests({ containers, initContainers = [], ...spec }: PodSpec): Amounts {
  let running = sum(containers.map(requestsOf));
  let sidecars: Amounts = new Map();
  let starting: Amounts = new Map();
  for (const container of initContainers) {
    const own = requestsOf(container);
    if (container.restartPolicy === 'Always') {
      running = sum([running, own]);
      sidecars = sum([sidecars, own]);
      starting = most([starting, sidecars]);
    } else starting = most([starting, sum([sidecars, own])]);
  }
  const asWhole = amountsOf(spec.resources?.requests);
  return sum([new Map([...most([running, starting]), ...asWhole]), amountsOf(spec.overhead)]);
}

function requestsOf({ resources }: Container): Amounts {
  return amountsOf(resources?.requests);
}

export function sum(all: readonly Amounts[]): Amounts {
  return merged(all, (one, other) => one + other);
}

function most(all: readonly Amounts[]): Amounts {
  return merged(all, Math.max);
}

function merged(all: readonly Amounts[], join: (one: number, other: number) => number): Amounts {
  const found = new Map<string, number>();
  for (const amounts of all)
    for (const [name, amount] of amounts) {
      const before = found.get(name);
      found.set(name, before === undefined ? amount : join(before, amount));
    }
  return found;
}
