import type { Container, PodSpec, ResourceRequirements } from '../../api/pod-template.ts';
import { parseQuantity } from './quantity.ts';

/** With a smaller limit the kernel would let the agent wait when it writes files. */
const cpuLimit = '100m';
const memoryLimit = '128Mi';

/**
 * The resources of the agent, when the installation sets none.
 *
 * - A pod with resources as a whole gets none: those of its containers may not add up to more.
 * - A pod of class Guaranteed keeps its class: Kubernetes requires limits of cpu and memory for each container, init
 *   containers included, and requests that are equal to them.
 * - When all containers limit cpu, the agent does, too: a ResourceQuota may require it.
 */
export function agentResources(spec: PodSpec): ResourceRequirements | undefined {
  if (spec.resources) return undefined;
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  const limits = { cpu: cpuLimit, memory: memoryLimit };
  if (containers.length > 0 && containers.every(isGuaranteed)) return { requests: limits, limits };
  const limitsCpu =
    containers.length > 0 && containers.every((each) => hasAny(each.resources?.limits?.['cpu']));
  return {
    requests: { cpu: '5m', memory: '64Mi' },
    limits: { memory: memoryLimit, ...(limitsCpu && { cpu: cpuLimit }) },
  };
}

/** Kubernetes sets requests that are missing to the limits. */
function isGuaranteed({ resources }: Container): boolean {
  return ['cpu', 'memory'].every((name) => {
    const limit = resources?.limits?.[name];
    const request = resources?.requests?.[name] ?? limit;
    return hasAny(limit) && parseQuantity(request) === parseQuantity(limit);
  });
}

function hasAny(quantity: string | number | undefined): boolean {
  return (parseQuantity(quantity) ?? 0) > 0;
}
