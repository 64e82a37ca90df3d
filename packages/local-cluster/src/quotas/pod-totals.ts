import { type Amounts, added, amountsOf, most } from './amounts.ts';

interface Resources {
  limits?: Record<string, string>;
  requests?: Record<string, string>;
}

export interface ResourcedPod {
  containers: readonly { name: string; resources?: Resources; restartPolicy?: string }[] | null;
  initContainers?: readonly { name: string; resources?: Resources; restartPolicy?: string }[];
  resources?: Resources;
  overhead?: Record<string, string>;
}

const none: Amounts = new Map();

/**
 * The effective requests or limits of a pod: the sum of its containers and sidecars, or the maximum during
 * initialisation, whichever is higher. Pod-level resources take precedence.
 */
export function podTotals(
  { containers, initContainers = [], resources }: ResourcedPod,
  which: 'requests' | 'limits',
): Amounts {
  let running = (containers ?? []).reduce(
    (sum, each) => added(sum, amountsOf(each.resources?.[which])),
    none,
  );
  let sidecars = none;
  let starting = none;
  for (const container of initContainers) {
    const own = amountsOf(container.resources?.[which]);
    if (container.restartPolicy === 'Always') {
      running = added(running, own);
      sidecars = added(sidecars, own);
      starting = most(starting, sidecars);
    } else starting = most(starting, added(sidecars, own));
  }
  const whole = [...amountsOf(resources?.[which])].filter(([name]) => isPodLevel(name));
  return new Map([...most(running, starting), ...whole]);
}

function isPodLevel(name: string): boolean {
  return ['cpu', 'memory'].includes(name) || name.startsWith('hugepages-');
}

/** Adds the pod overhead. Overhead is added to a limit only when the pod has that limit. */
export function withOverhead(
  totals: Amounts,
  { overhead }: ResourcedPod,
  which: 'requests' | 'limits',
): Amounts {
  const extra = [...amountsOf(overhead)].filter(([name]) => which === 'requests' || totals.has(name));
  return added(totals, new Map(extra));
}
