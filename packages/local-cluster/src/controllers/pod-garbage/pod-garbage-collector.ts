import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import { nodes, pods } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { Node } from '../../objects/node.ts';
import type { Pod, PodCondition } from '../../objects/pod.ts';
import { timestamp } from '../../objects/timestamp.ts';
import type { Informer } from '../host/informers.ts';
import type { ControllerContext, LocalController } from '../host/local-controller.ts';

/** Grace period for a missing node: a node that is absent for less time may only be slow to register. */
const quarantineMs = 40_000;

/** Deletes pods of nodes that do not exist. No kubelet runs such pods, so no kubelet would ever report their end. */
export class PodGarbageCollector implements LocalController {
  readonly name = 'pod-garbage-collector-controller';
  readonly #context: ControllerContext;
  readonly #pods: Informer<Pod>;
  readonly #nodes: Informer<Node>;
  /** Node name → when the node was first found missing. */
  readonly #missing = new Map<string, number>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#pods = context.informers.of<Pod>(pods);
    this.#nodes = context.informers.of<Node>(nodes);
  }

  listen(enqueue: (key: string, afterMs?: number) => void): (() => void)[] {
    const miss = (name: string) => {
      if (this.#nodes.get(name) !== undefined || this.#missing.has(name)) return;
      this.#missing.set(name, this.#context.clock.monotonic());
      enqueue(name, quarantineMs);
    };
    return [
      this.#pods.subscribe(({ after }) => {
        if (after?.spec.nodeName) miss(after.spec.nodeName);
      }),
      this.#nodes.subscribe(({ key, after }) => {
        if (after === undefined) miss(key);
        else this.#missing.delete(key);
      }),
    ];
  }

  async reconcile(name: string): Promise<ReconcileResult | undefined> {
    const since = this.#missing.get(name);
    if (since === undefined) return undefined;
    const left = since + quarantineMs - this.#context.clock.monotonic();
    if (left > 0) return { requeueAfterMs: left };
    if (await this.#isGone(name))
      for (const pod of this.#pods.all()) if (pod.spec.nodeName === name) await this.#end(pod);
    this.#missing.delete(name);
    return undefined;
  }

  /** Reads from the API server: the cache may be stale, and a deletion cannot be undone. */
  async #isGone(name: string): Promise<boolean> {
    return this.#context.client.get(nodes, { name }, { projection: 'metadata' }).then(
      () => false,
      (error: unknown) => {
        if (isNotFound(error)) return true;
        throw error;
      },
    );
  }

  async #end({ metadata, status }: Pod): Promise<void> {
    const { client, clock } = this.#context;
    const { namespace = '', name = '', uid = '', generation } = metadata;
    const where = { namespace, name };
    const ifGone = (error: unknown) => {
      if (!isNotFound(error)) throw error;
    };
    if (status?.phase !== 'Succeeded' && status?.phase !== 'Failed') {
      const condition: PodCondition = {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'DeletionByPodGC',
        message: 'PodGC: node no longer exists',
        lastTransitionTime: timestamp(clock.now()),
        ...(generation !== undefined && { observedGeneration: generation }),
      };
      const body = { metadata: { uid }, status: { phase: 'Failed', conditions: [condition] } };
      await client.patch(pods, where, { type: 'strategic', body }, { subresource: 'status' }).catch(ifGone);
    }
    await client.delete(pods, where, { gracePeriodSeconds: 0, preconditions: { uid } }).catch(ifGone);
  }
}
