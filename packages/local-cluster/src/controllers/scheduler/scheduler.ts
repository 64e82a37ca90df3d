import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import { namespaces, nodes, pods, resourcePath } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Node } from '../../objects/node.ts';
import type { Pod, PodCondition } from '../../objects/pod.ts';
import { timestamp } from '../../objects/timestamp.ts';
import type { Informer } from '../host/informers.ts';
import type { ControllerContext, LocalController } from '../host/local-controller.ts';
import type { NodeLoad } from './node-fit.ts';
import { planScheduling } from './plan-scheduling.ts';
import { requiredTerms } from './pod-affinity.ts';

/** Binds unscheduled pods to nodes. A pod that fits no node gets a PodScheduled condition, and is retried later. */
export class Scheduler implements LocalController {
  readonly name = 'default-scheduler';
  readonly #context: ControllerContext;
  readonly #pods: Informer<Pod>;
  readonly #nodes: Informer<Node>;
  readonly #namespaces: Informer<KubeObject>;
  /** Keys of pods that fitted no node at their last scheduling attempt. */
  readonly #unschedulable = new Set<string>();
  /** Pod UID → node. These pods are bound, or being bound, and the cache does not show the binding yet. */
  readonly #assumed = new Map<string, string>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#pods = context.informers.of<Pod>(pods);
    this.#nodes = context.informers.of<Node>(nodes);
    this.#namespaces = context.informers.of(namespaces);
  }

  listen(enqueue: (key: string) => void): (() => void)[] {
    const tryAgain = () => {
      for (const key of this.#unschedulable) enqueue(key);
    };
    /** Retries the pods whose placement depends on other pods. */
    const tryCompany = () => {
      for (const key of this.#unschedulable) {
        const pod = this.#pods.get(key);
        if (pod !== undefined && looksForCompany(pod)) enqueue(key);
      }
    };
    return [
      this.#pods.subscribe(({ key, before, after }) => {
        if (before !== undefined && (after === undefined || after.spec.nodeName))
          this.#assumed.delete(before.metadata.uid ?? '');
        if (after === undefined) this.#unschedulable.delete(key);
        // A failed attempt changes the pod's status. Only a new pod or a changed spec triggers another attempt.
        if (after !== undefined && isUnplaced(after) && asksAnew(before, after)) enqueue(key);
        if (before !== undefined && takesRoom(before) && (after === undefined || !takesRoom(after)))
          tryAgain();
        else if (after !== undefined && takesRoom(after) && isOtherCompany(before, after)) tryCompany();
      }),
      this.#nodes.subscribe(({ before, after }) => {
        if (offer(before) !== offer(after)) tryAgain();
      }),
    ];
  }

  async reconcile(key: string): Promise<ReconcileResult | undefined> {
    this.#unschedulable.delete(key);
    const pod = this.#pods.get(key);
    if (pod === undefined || !isUnplaced(pod) || this.#assumed.has(pod.metadata.uid ?? '')) return undefined;
    const placement = planScheduling(
      pod,
      this.#loads(),
      (namespace) => this.#namespaces.get(namespace)?.metadata.labels ?? {},
    );
    if ('node' in placement) await this.#bind(pod, placement.node);
    else {
      this.#unschedulable.add(key);
      await this.#refuse(pod, placement.message);
    }
    return undefined;
  }

  #loads(): NodeLoad[] {
    const running = this.#pods.all().filter((pod) => !isDone(pod));
    const placed = Map.groupBy(
      running,
      ({ spec, metadata }) => spec.nodeName || this.#assumed.get(metadata.uid ?? '') || '',
    );
    return this.#nodes.all().map((node) => ({ node, pods: placed.get(node.metadata.name ?? '') ?? [] }));
  }

  async #bind(pod: Pod, node: string): Promise<void> {
    const { namespace = '', name = '', uid = '' } = pod.metadata;
    // Set before the first await: the next reconcile must not use the same capacity.
    this.#assumed.set(uid, node);
    const body = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { namespace, name, uid },
      target: { kind: 'Node', name: node },
    };
    const path = resourcePath(pods, { namespace, name, subresource: 'binding' });
    try {
      await this.#context.client.raw({ method: 'POST', path, body });
    } catch (error) {
      this.#assumed.delete(uid);
      throw error;
    }
    // The watch event may have arrived before the response.
    const now = this.#pods.get(`${namespace}/${name}`);
    if (now === undefined || now.metadata.uid !== uid || now.spec.nodeName) this.#assumed.delete(uid);
    this.#recordEvent(pod, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${name} to ${node}`);
  }

  async #refuse(pod: Pod, message: string): Promise<void> {
    const { namespace = '', name = '', uid, generation } = pod.metadata;
    this.#recordEvent(pod, 'Warning', 'FailedScheduling', message);
    const before = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    const now = timestamp(this.#context.clock.now());
    const condition: PodCondition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
      lastProbeTime: null,
      lastTransitionTime: before?.status === 'False' ? (before.lastTransitionTime ?? now) : now,
      ...(generation !== undefined && { observedGeneration: generation }),
    };
    const isSame =
      before?.status === 'False' && before.reason === condition.reason && before.message === message;
    if (isSame && before.observedGeneration === generation) return;
    const body = { metadata: { uid }, status: { conditions: [condition] } };
    const patch = { type: 'strategic' as const, body };
    await this.#context.client.patch(pods, { namespace, name }, patch, { subresource: 'status' });
  }

  #recordEvent(pod: Pod, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const { namespace = '', name = '', uid = '' } = pod.metadata;
    this.#context.recordEvent({ apiVersion: 'v1', kind: 'Pod', namespace, name, uid }, type, reason, message);
  }
}

/** Whether the pod is ready to be scheduled by this scheduler: no node, no scheduling gate, not terminating. */
function isUnplaced({ metadata, spec }: Pod): boolean {
  return (
    !spec.nodeName &&
    spec.schedulerName === 'default-scheduler' &&
    (spec.schedulingGates ?? []).length === 0 &&
    metadata.deletionTimestamp === undefined
  );
}

function asksAnew(before: Pod | undefined, after: Pod): boolean {
  return (
    before === undefined ||
    before.metadata.uid !== after.metadata.uid ||
    before.metadata.generation !== after.metadata.generation
  );
}

function isDone({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function takesRoom(pod: Pod): boolean {
  return Boolean(pod.spec.nodeName) && !isDone(pod);
}

function looksForCompany(pod: Pod): boolean {
  return (
    requiredTerms(pod, 'podAffinity').length > 0 || (pod.spec.topologySpreadConstraints ?? []).length > 0
  );
}

/** Whether the pod was just assigned to its node, or its labels changed. */
function isOtherCompany(before: Pod | undefined, { metadata }: Pod): boolean {
  if (before === undefined || !takesRoom(before)) return true;
  return JSON.stringify(before.metadata.labels) !== JSON.stringify(metadata.labels);
}

/** The fields of a node that affect scheduling. Heartbeats are not among them. */
function offer(node: Node | undefined): string {
  return JSON.stringify([node?.metadata.labels, node?.spec, node?.status?.allocatable]);
}
