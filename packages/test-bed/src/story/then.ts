import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { summaryOf } from '../objects/summary.ts';
import { waitFor } from '../watching/wait-for.ts';
import { waitForState } from '../watching/wait-for-state.ts';
import { clusterState } from './scene.ts';

/** The expected results of a test. A wait that times out reports the states that it observed. */
export class Then {
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #timeoutMs: number;
  readonly #context: () => string;

  constructor(client: KubeClient, namespace: string, timeoutMs = 30_000, context = () => '') {
    this.#client = client;
    this.#namespace = namespace;
    this.#timeoutMs = timeoutMs;
    this.#context = context;
  }

  /** Returns a copy with another timeout. */
  within(timeoutMs: number): Then {
    return new Then(this.#client, this.#namespace, timeoutMs, this.#context);
  }

  /** Returns a copy that appends this text to the error of a wait that times out. */
  withContext(context: () => string): Then {
    return new Then(this.#client, this.#namespace, this.#timeoutMs, context);
  }

  /** Waits for a state of one object. Observes every state, however briefly it lasts. */
  eventually<T extends KubeObject>(
    what: string,
    resource: Resource,
    name: string,
    condition: (object: T) => boolean,
  ): Promise<T> {
    return this.#state<T, T>(what, resource, name, (object) =>
      object !== undefined && condition(object) ? { met: object } : { seen: seenOf(resource, name, object) },
    );
  }

  async eventuallyGone(resource: Resource, name: string): Promise<void> {
    await this.#state(`${resource.kind} ${name} is gone`, resource, name, (object) =>
      object === undefined ? { met: true } : { seen: seenOf(resource, name, object) },
    );
  }

  /** Waits for a state of all objects of a kind, or of those that match the label selector. */
  eventuallyAll<T extends KubeObject>(
    what: string,
    resource: Resource,
    condition: (objects: T[]) => boolean,
    labelSelector?: string,
  ): Promise<T[]> {
    const selection = {
      namespace: this.#namespace,
      ...(labelSelector === undefined ? {} : { labelSelector }),
    };
    return waitFor(
      what,
      async () => {
        const { items } = await this.#client.list<T>(resource, selection);
        if (condition(items)) return { met: items };
        return { seen: items.length === 0 ? `no ${resource.kind}` : items.map(summaryOf).join('; ') };
      },
      this.#options(),
    );
  }

  #state<T extends KubeObject, R>(
    what: string,
    resource: Resource,
    name: string,
    judge: (object: T | undefined) => { met: R } | { seen: string },
  ): Promise<R> {
    const where = { namespace: this.#namespace, name };
    return waitForState<T, R>(what, this.#client, resource, where, judge, this.#options());
  }

  #options() {
    const scene = async () =>
      `${await clusterState(this.#client, this.#namespace)}\n${this.#context()}`.trimEnd();
    return { timeoutMs: this.#timeoutMs, scene };
  }
}

function seenOf(resource: Resource, name: string, object: KubeObject | undefined): string {
  return object === undefined ? `${resource.kind} ${name} does not exist` : summaryOf(object);
}
