import type { ObjectMeta } from '@trimtab/kube/wire.ts';
import { type Amounts, added, amountsOf } from './amounts.ts';
import { podTotals, type ResourcedPod, withOverhead } from './pod-totals.ts';

export interface ChargedPod {
  metadata: ObjectMeta & { deletionGracePeriodSeconds?: number };
  spec: ResourcedPod & { activeDeadlineSeconds?: number; priorityClassName?: string; affinity?: unknown };
  status?: { phase?: string };
}

const native = ['cpu', 'memory', 'ephemeral-storage'];

/** The usage of a pod. A finished pod, or one past its deletion grace period, counts only as an object. */
export function podUsage(pod: ChargedPod, now: number): Amounts {
  const counted: Amounts = new Map([['count/pods', '1']]);
  if (hasEnded(pod, now)) return counted;
  const requests = withOverhead(podTotals(pod.spec, 'requests'), pod.spec, 'requests');
  const limits = withOverhead(podTotals(pod.spec, 'limits'), pod.spec, 'limits');
  return added(counted, computeUsage(requests, limits));
}

function hasEnded({ metadata, status }: ChargedPod, now: number): boolean {
  if (['Succeeded', 'Failed'].includes(status?.phase ?? '')) return true;
  const { deletionTimestamp, deletionGracePeriodSeconds: grace } = metadata;
  if (deletionTimestamp === undefined || grace === undefined) return false;
  return now > Date.parse(deletionTimestamp) + grace * 1000;
}

/** The usage under the resource names of quotas. */
function computeUsage(requests: Amounts, limits: Amounts): Amounts {
  const usage = new Map([['pods', '1']]);
  for (const [name, amount] of requests) {
    if (native.includes(name) || name.startsWith('hugepages-')) usage.set(name, amount);
    if (native.includes(name) || name.startsWith('hugepages-') || isExtended(name))
      usage.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of limits) if (native.includes(name)) usage.set(`limits.${name}`, amount);
  return usage;
}

/** Whether the name is an extended resource, such as `example.com/gpu`. */
export function isExtended(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.');
}

const mandatory = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'];

/** The mandatory resources that containers do not specify: `must specify limits.cpu for: app`. Undefined when none. */
export function missingAmounts(names: Iterable<string>, { spec }: ChargedPod): string | undefined {
  const counted = [...new Set(names)].filter((name) => mandatory.includes(name)).sort();
  const parts = counted.flatMap((name) => {
    const lacking = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].filter(({ resources }) => {
      const { requests, limits } = resources ?? {};
      return !computeUsage(amountsOf(requests), amountsOf(limits)).has(name);
    });
    const containers = [...new Set(lacking.map((each) => each.name))].sort();
    return containers.length === 0 ? [] : [`${name} for: ${containers.join(',')}`];
  });
  return parts.length === 0 ? undefined : `must specify ${parts.join('; ')}`;
}
