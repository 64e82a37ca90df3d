import type { EventType } from '@trimtab/kube/events/event-object.ts';
import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import { endpointSlices, services } from '@trimtab/kube/resource.ts';
import { equal } from '../apiserver/object.ts';
import { serviceLabel } from '../controllers/endpoints/slice-object.ts';
import type { Informer } from '../controllers/host/informers.ts';
import type { ControllerContext, LocalController } from '../controllers/host/local-controller.ts';
import {
  type LocalPorts,
  localPortsAnnotation,
  localPortsOf,
  localPortsText,
} from '../objects/local-ports.ts';
import type { EndpointSlice, Service } from '../objects/service.ts';
import { balancerAddress, candidates, ingressOf, isBalanced, isTcp } from './local-ports.ts';
import { targetsOf } from './targets.ts';
import { TcpBalancer } from './tcp-balancer.ts';

/** Grace period for connections that are open when the cluster stops or their Service is deleted. */
const drainMs = 2_000;

/**
 * Takes the place of a cloud's load balancers: Services of type LoadBalancer get ports of this machine, and connections
 * to them are distributed round-robin among their pods.
 */
export class ServiceProxy implements LocalController {
  readonly name = 'service-controller';
  readonly #context: ControllerContext;
  readonly #services: Informer<Service>;
  readonly #slices: Informer<EndpointSlice>;
  /** By key of the Service, then by port. */
  readonly #balancers = new Map<string, Map<number, TcpBalancer>>();
  /** Balancers that no longer listen and wait for open connections to end. */
  readonly #draining = new Set<Promise<void>>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#services = context.informers.of<Service>(services);
    this.#slices = context.informers.of<EndpointSlice>(endpointSlices);
  }

  listen(enqueue: (key: string) => void): (() => void)[] {
    return [
      this.#services.subscribe(({ key, after }) => {
        if (this.#balancers.has(key) || after?.spec.type === 'LoadBalancer') enqueue(key);
      }),
      this.#slices.subscribe(({ before, after }) => {
        for (const slice of [before, after]) {
          const key = `${slice?.metadata.namespace}/${slice?.metadata.labels?.[serviceLabel]}`;
          if (this.#balancers.has(key)) enqueue(key);
        }
      }),
    ];
  }

  async reconcile(key: string): Promise<ReconcileResult | undefined> {
    const service = this.#services.get(key);
    if (service === undefined || !isBalanced(service)) {
      this.#end(key);
      if (service !== undefined) await this.#takeBack(service);
      return undefined;
    }
    const balancers = await this.#listen(key, service).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      const message = `Error syncing load balancer: failed to ensure load balancer: ${why}`;
      this.#tell(service, 'Warning', 'SyncLoadBalancerFailed', message);
      throw error;
    });
    const slices = this.#slices
      .inNamespace(service.metadata.namespace ?? '')
      .filter(({ metadata }) => metadata.labels?.[serviceLabel] === service.metadata.name);
    for (const port of service.spec.ports ?? [])
      balancers.get(port.port)?.setTargets(targetsOf(port, slices));
    const ports = new Map([...balancers].map(([port, balancer]) => [port, balancer.port]));
    await this.#show(service, ports);
    return undefined;
  }

  async close(): Promise<void> {
    for (const key of [...this.#balancers.keys()]) this.#end(key);
    await Promise.all(this.#draining);
  }

  /** Starts a balancer for each port of the Service, and drains those of removed ports. */
  async #listen(key: string, service: Service): Promise<Map<number, TcpBalancer>> {
    const balancers = this.#balancers.get(key) ?? new Map<number, TcpBalancer>();
    this.#balancers.set(key, balancers);
    const wanted = (service.spec.ports ?? []).filter(isTcp);
    for (const [port, balancer] of balancers)
      if (!wanted.some((each) => each.port === port)) {
        balancers.delete(port);
        this.#drain(balancer);
      }
    const before = localPortsOf(service.metadata);
    for (const port of wanted) {
      if (balancers.has(port.port)) continue;
      const { clock } = this.#context;
      balancers.set(port.port, await TcpBalancer.listen({ candidates: candidates(port, before), clock }));
    }
    return balancers;
  }

  #end(key: string): void {
    for (const balancer of this.#balancers.get(key)?.values() ?? []) this.#drain(balancer);
    this.#balancers.delete(key);
  }

  #drain(balancer: TcpBalancer): void {
    const drained = balancer.close(drainMs).finally(() => this.#draining.delete(drained));
    this.#draining.add(drained);
  }

  async #show(service: Service, ports: LocalPorts): Promise<void> {
    const text = localPortsText(ports);
    const ingress = [ingressOf(service)];
    const isNew = service.status?.loadBalancer?.ingress === undefined;
    if (service.metadata.annotations?.[localPortsAnnotation] !== text) await this.#annotate(service, text);
    if (equal(service.status?.loadBalancer?.ingress, ingress)) return;
    await this.#setIngress(service, ingress);
    if (isNew)
      this.#tell(service, 'Normal', 'EnsuredLoadBalancer', `Ensured load balancer: ${placesText(ports)}`);
  }

  /** Removes the annotation and the ingress from a Service that is no longer a load balancer. */
  async #takeBack(service: Service): Promise<void> {
    if (service.metadata.annotations?.[localPortsAnnotation] === undefined) return;
    if (service.status?.loadBalancer?.ingress !== undefined) await this.#setIngress(service, null);
    await this.#annotate(service, null);
  }

  async #annotate({ metadata }: Service, text: string | null): Promise<void> {
    const { namespace = '', name = '', uid } = metadata;
    const body = { metadata: { uid, annotations: { [localPortsAnnotation]: text } } };
    await this.#context.client.patch(services, { namespace, name }, { type: 'merge', body });
  }

  async #setIngress({ metadata }: Service, ingress: object[] | null): Promise<void> {
    const { namespace = '', name = '', uid } = metadata;
    const body = { metadata: { uid }, status: { loadBalancer: { ingress } } };
    const patch = { type: 'merge' as const, body };
    await this.#context.client.patch(services, { namespace, name }, patch, { subresource: 'status' });
  }

  #tell({ metadata }: Service, type: EventType, reason: string, message: string): void {
    const { namespace = '', name = '', uid = '' } = metadata;
    this.#context.recordEvent(
      { apiVersion: 'v1', kind: 'Service', namespace, name, uid },
      type,
      reason,
      message,
    );
  }
}

function placesText(ports: LocalPorts): string {
  return [...ports].map(([port, local]) => `port ${port} is ${balancerAddress}:${local}`).join(', ');
}
