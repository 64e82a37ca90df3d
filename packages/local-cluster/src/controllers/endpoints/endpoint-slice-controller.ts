import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import { endpointSlices, nodes, pods, services } from '@trimtab/kube/resource.ts';
import { isForbidden, isNotFound } from '@trimtab/kube/transport/errors.ts';
import { equal } from '../../apiserver/object.ts';
import { localPortsAnnotation } from '../../objects/local-ports.ts';
import type { Node } from '../../objects/node.ts';
import type { Pod } from '../../objects/pod.ts';
import type { EndpointSlice, Service } from '../../objects/service.ts';
import type { Informer } from '../host/informers.ts';
import type { ControllerContext, LocalController } from '../host/local-controller.ts';
import { planSlices } from './plan-slices.ts';
import { manager, managerLabel, serviceLabel } from './slice-object.ts';

/** Maintains the EndpointSlices of each Service with a selector: the addresses of its pods and their conditions. */
export class EndpointSliceController implements LocalController {
  readonly name = 'endpointslice-controller';
  readonly #context: ControllerContext;
  readonly #services: Informer<Service>;
  readonly #pods: Informer<Pod>;
  readonly #nodes: Informer<Node>;
  readonly #slices: Informer<EndpointSlice>;

  constructor(context: ControllerContext) {
    const { informers } = context;
    this.#context = context;
    this.#services = informers.of<Service>(services);
    this.#pods = informers.of<Pod>(pods);
    this.#nodes = informers.of<Node>(nodes);
    this.#slices = informers.of<EndpointSlice>(endpointSlices);
  }

  listen(enqueue: (key: string) => void): (() => void)[] {
    return [
      this.#services.subscribe(({ key, after }) => {
        if (after !== undefined) enqueue(key);
      }),
      this.#pods.subscribe(({ before, after }) => {
        const { namespace = '' } = (after ?? before)?.metadata ?? {};
        if (before !== undefined && after !== undefined && isSameToServices(before, after)) return;
        for (const service of this.#services.inNamespace(namespace))
          if ([before, after].some((pod) => pod !== undefined && selects(service, pod)))
            enqueue(keyOf(service));
      }),
      this.#slices.subscribe(({ before, after }) => {
        for (const slice of [before, after]) {
          const { namespace = '', labels = {} } = slice?.metadata ?? {};
          const service = labels[serviceLabel];
          if (service !== undefined && labels[managerLabel] === manager) enqueue(`${namespace}/${service}`);
        }
      }),
      this.#nodes.subscribe(({ before, after }) => {
        if (isSameNode(before, after)) return;
        for (const service of this.#services.all()) enqueue(keyOf(service));
      }),
    ];
  }

  async reconcile(key: string): Promise<ReconcileResult | undefined> {
    const service = this.#services.get(key);
    // The garbage collector deletes the slices of a deleted Service. A Service without a selector manages its own.
    if (service === undefined || !hasSelector(service)) return undefined;
    const { namespace = '', name = '' } = service.metadata;
    const plan = planSlices({
      service,
      pods: this.#pods.inNamespace(namespace).filter((pod) => selects(service, pod)),
      node: (wanted) => this.#nodes.get(wanted),
      slices: this.#slices
        .inNamespace(namespace)
        .filter(
          ({ metadata: { labels = {} } }) =>
            labels[serviceLabel] === name && labels[managerLabel] === manager,
        ),
    });
    const { client } = this.#context;
    if (service.metadata.deletionTimestamp === undefined)
      for (const slice of plan.create)
        await client.create(endpointSlices, slice).catch((error: unknown) => {
          // The namespace is terminating, and the Service with it.
          if (!isForbidden(error) && !isNotFound(error)) throw error;
        });
    for (const slice of plan.update) await client.update(endpointSlices, slice);
    for (const { metadata } of plan.remove)
      await client.delete(endpointSlices, { namespace, name: metadata.name ?? '' });
    return undefined;
  }
}

function keyOf({ metadata: { namespace = '', name = '' } }: Service): string {
  return `${namespace}/${name}`;
}

function hasSelector({ spec }: Service): boolean {
  return spec.type !== 'ExternalName' && spec.selector !== undefined;
}

function selects(service: Service, { metadata: { labels = {} } }: Pod): boolean {
  const wanted = Object.entries(service.spec.selector ?? {});
  return hasSelector(service) && wanted.every(([key, value]) => labels[key] === value);
}

/** Whether a pod update leaves its endpoints unchanged, as most updates do. */
function isSameToServices(before: Pod, after: Pod): boolean {
  const seen = ({ metadata, spec, status }: Pod) => [
    metadata.uid,
    metadata.labels,
    metadata.deletionTimestamp !== undefined,
    metadata.annotations?.[localPortsAnnotation],
    spec.nodeName,
    status?.phase,
    status?.podIP,
    status?.podIPs,
    status?.conditions?.find(({ type }) => type === 'Ready')?.status,
  ];
  return equal(seen(before), seen(after));
}

function isSameNode(before: Node | undefined, after: Node | undefined): boolean {
  const zone = (node: Node | undefined) => node?.metadata.labels?.['topology.kubernetes.io/zone'];
  return (before === undefined) === (after === undefined) && zone(before) === zone(after);
}
