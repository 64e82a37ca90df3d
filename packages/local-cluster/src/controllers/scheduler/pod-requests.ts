import { quantityValue } from '../../apiserver/schema/quantity.ts';
import type { Container, PodSpec } from '../../objects/pod.ts';

/** Amounts by resource: thousandths of a CPU, bytes, or pieces. */
export type Amounts = ReadonlyMap<string, number>;

/** Rounded up, in whole units of what Kubernetes counts: nobody gets less than they asked for. */
export function amountsOf(list: Readonly<Record<string, string>> = {}): Amounts {
  return new Map(
    Object.entries(list).map(([name, text]) => {
      const value = quantityValue(text) ?? 0;
      // What is left of a binary fraction is no unit of its own.
      return [name, Math.ceil((name === 'cpu' ? value * 1000 : value) - 1e-6)];
    }),
  );
}

/**
 * What a pod asks of its node: its containers and sidecars together, or the most that it needs while it starts,
 * whichever is more. What it says for the pod as a whole holds instead.
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
