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
 * What a pod asks for, or may have at most: its containers and sidecars together, or the most that it needs while it
 * starts, whichever is more. What it says for the pod as a whole holds instead.
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

/** With what running it costs beside its containers; of limits, only where there is one. */
export function withOverhead(
  totals: Amounts,
  { overhead }: ResourcedPod,
  which: 'requests' | 'limits',
): Amounts {
  const extra = [...amountsOf(overhead)].filter(([name]) => which === 'requests' || totals.has(name));
  return added(totals, new Map(extra));
}
