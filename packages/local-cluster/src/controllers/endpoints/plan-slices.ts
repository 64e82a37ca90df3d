import { equal } from '../../apiserver/object.ts';
import type { Node } from '../../objects/node.ts';
import type { Pod } from '../../objects/pod.ts';
import type { Endpoint, EndpointPort, EndpointSlice, Service } from '../../objects/service.ts';
import { type AddressType, endpointPorts, hasAddress, podEndpoint } from './pod-endpoint.ts';
import { isOwnedBy, newSlice, sliceLabels } from './slice-object.ts';

const maxEndpoints = 100;

export interface SlicePlan {
  create: EndpointSlice[];
  update: EndpointSlice[];
  remove: EndpointSlice[];
}

interface Observed {
  service: Service;
  /** The pods that the Service selects. */
  pods: readonly Pod[];
  node(name: string): Node | undefined;
  slices: readonly EndpointSlice[];
}

/** Plans the changes that make the slices of a Service match its pods. Endpoints stay in their slice. */
export function planSlices(observed: Observed): SlicePlan {
  const types = addressTypes(observed.service);
  const plans = types.map((type) => planOfType(observed, type));
  const strange = observed.slices.filter(({ addressType }) => !types.some((type) => type === addressType));
  return {
    create: plans.flatMap(({ create }) => create),
    update: plans.flatMap(({ update }) => update),
    remove: [...plans.flatMap(({ remove }) => remove), ...strange],
  };
}

function addressTypes({ spec }: Service): AddressType[] {
  const families = (spec.ipFamilies ?? []).filter((each) => each === 'IPv4' || each === 'IPv6');
  return families.length > 0 ? families : ['IPv4'];
}

interface Group {
  ports: EndpointPort[];
  endpoints: Endpoint[];
}

function planOfType(observed: Observed, type: AddressType): SlicePlan {
  const { service } = observed;
  const existing = observed.slices.filter(({ addressType }) => addressType === type);
  const mine = existing.filter((slice) => isOwnedBy(slice, service));
  const groups = groupsOf(observed, type);
  const byPorts = Map.groupBy(mine, ({ ports }) => portsKey(ports ?? []));
  const plan: SlicePlan = {
    create: [],
    update: [],
    remove: existing.filter((slice) => !mine.includes(slice)),
  };
  for (const [key, group] of groups) planGroup(service, type, group, byPorts.get(key) ?? [], plan);
  for (const [key, slices] of byPorts) if (!groups.has(key)) plan.remove.push(...slices);
  if (existing.length === plan.remove.length && plan.create.length === 0) {
    // A Service without pods has one slice without endpoints.
    const placeholder = newSlice(service, type, [], []);
    const kept = plan.remove.find((slice) => isSame(slice, placeholder));
    if (kept === undefined) plan.create.push(placeholder);
    else plan.remove = plan.remove.filter((slice) => slice !== kept);
  }
  return reuse(plan, service);
}

function groupsOf({ service, pods, node }: Observed, type: AddressType): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const pod of [...pods].sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))) {
    if (!hasAddress(pod)) continue;
    const home = node(pod.spec.nodeName ?? '');
    const ports = endpointPorts(service, pod);
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    groups.set(key, group);
    // A pod whose node does not exist is listed only when the Service publishes not-ready addresses.
    if (home === undefined && !service.spec.publishNotReadyAddresses) continue;
    const endpoint = podEndpoint(pod, home, service, type);
    if (endpoint.addresses.length > 0) group.endpoints.push(endpoint);
  }
  return groups;
}

function planGroup(
  service: Service,
  type: AddressType,
  { ports, endpoints }: Group,
  slices: readonly EndpointSlice[],
  plan: SlicePlan,
): void {
  const open = new Map(endpoints.map((each) => [each.targetRef?.uid ?? '', each]));
  const next = slices.map((slice) => {
    const kept = (slice.endpoints ?? []).flatMap(({ targetRef }) => {
      const found = open.get(targetRef?.uid ?? '');
      open.delete(targetRef?.uid ?? '');
      return found ?? [];
    });
    return { slice, kept };
  });
  const rest = [...open.values()];
  // Fill the fullest slice with room first: fewer slices change, and fewer stay half empty.
  for (const each of next.toSorted((a, b) => b.kept.length - a.kept.length))
    each.kept.push(...rest.splice(0, Math.max(0, maxEndpoints - each.kept.length)));
  for (const { slice, kept } of next) {
    const labels = sliceLabels(service);
    const isUnchanged = equal(kept, slice.endpoints ?? []) && equal(labels, slice.metadata.labels ?? {});
    if (kept.length === 0) plan.remove.push(slice);
    else if (!isUnchanged)
      plan.update.push({ ...slice, metadata: { ...slice.metadata, labels }, endpoints: kept });
  }
  while (rest.length > 0) plan.create.push(newSlice(service, type, ports, rest.splice(0, maxEndpoints)));
}

/** Updates a slice instead of deleting it and creating another: watchers see one change and never a gap. */
function reuse({ create, update, remove }: SlicePlan, service: Service): SlicePlan {
  const plan: SlicePlan = { create: [...create], update: [...update], remove: [] };
  for (const slice of remove) {
    const fresh = isOwnedBy(slice, service) ? plan.create.pop() : undefined;
    if (fresh === undefined) plan.remove.push(slice);
    else {
      const metadata = { ...slice.metadata, labels: fresh.metadata.labels ?? {} };
      plan.update.push({ ...slice, metadata, ports: fresh.ports ?? [], endpoints: fresh.endpoints ?? [] });
    }
  }
  return plan;
}

function isSame(slice: EndpointSlice, wanted: EndpointSlice): boolean {
  return (
    equal(slice.endpoints ?? [], wanted.endpoints) &&
    equal(slice.ports ?? [], wanted.ports) &&
    equal(slice.metadata.labels, wanted.metadata.labels)
  );
}

function portsKey(ports: readonly EndpointPort[]): string {
  return ports
    .map(({ name = '', protocol = 'TCP', port, appProtocol }) =>
      JSON.stringify([name, protocol, port, appProtocol]),
    )
    .sort()
    .join();
}
