import { quantityUnits } from '../../apiserver/schema/quantity.ts';
import type { Container, Pod } from '../../objects/pod.ts';
import { ConfigProblem } from '../configs/config-problem.ts';

interface ResourceFieldRef {
  containerName?: string;
  resource: string;
  divisor?: string;
}

/**
 * The value of a `resourceFieldRef` in multiples of its divisor, rounded up. The limit of a container without one is
 * the allocatable amount of the node.
 */
export function resourceValue(
  { containerName, resource, divisor }: ResourceFieldRef,
  { pod, container, allocatable }: { pod: Pod; container?: Container; allocatable: Record<string, string> },
): string {
  const of = containerName ? containerNamed(pod, containerName) : container;
  if (of === undefined) throw new ConfigProblem(`container ${containerName ?? ''} not found`);
  const [, list, name] =
    /^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.+)$/.exec(resource) ?? [];
  if (list === undefined || name === undefined)
    throw new ConfigProblem(`unsupported container resource : ${resource}`);
  const given = of.resources?.[list as 'limits' | 'requests']?.[name];
  const isOpen = list === 'limits' && !name.startsWith('hugepages-') && isZero(given);
  return divided((isOpen ? allocatable[name] : given) ?? '0', divisor, name === 'cpu' ? 3 : 0);
}

function containerNamed({ spec }: Pod, name: string): Container {
  const found = [...spec.containers, ...(spec.initContainers ?? [])].find((each) => each.name === name);
  if (found === undefined) throw new ConfigProblem(`container ${name} not found`);
  return found;
}

function isZero(quantity: string | undefined): boolean {
  return quantity === undefined || quantityUnits(quantity, 9) === 0n;
}

function divided(quantity: string, divisor: string | undefined, scale: number): string {
  const by = quantityUnits(isZero(divisor) ? '1' : (divisor ?? '1'), scale) ?? 1n;
  const units = quantityUnits(quantity, scale) ?? 0n;
  // The API server has validated that a quantity is not negative and that a divisor is at least one unit.
  return by <= 0n || units <= 0n ? '0' : String((units + by - 1n) / by);
}
