import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '@trimtab/kube/client.ts';
import {
  configMaps,
  controllerRevisions,
  daemonSets,
  deployments,
  pods,
  type Resource,
  replicaSets,
  secrets,
  statefulSets,
} from '@trimtab/kube/resource.ts';
import type { KubeObject, WatchEvent } from '@trimtab/kube/wire.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { configRollouts } from '../../../src/api/config-rollout.ts';
import { Attention } from './attention.ts';
import { World } from './world.ts';

/** One observed state of an object, or its deletion. */
export interface Entry {
  kind: string;
  /** For example `Deployment/web`. */
  key: string;
  /** The resourceVersion, which orders the changes of all kinds. */
  revision: number;
  gone: boolean;
  object: KubeObject;
  /** Monotonic time in milliseconds at which the state was observed; 0 for states before the recording. */
  at: number;
  /** Earliest time at which the event may have arrived: this process may have been busy or not scheduled. */
  notBefore: number;
}

/** The clock of a timeline. */
interface TimelineTime {
  now(): number;
  /** Earliest time at which an event that is read now may have arrived. */
  readonly since: number;
  stop(): void;
}

interface TimelineOptions {
  withGaps?: boolean;
  attention?: TimelineTime;
}

const watched: Resource[] = [
  configRollouts,
  configMaps,
  secrets,
  deployments,
  statefulSets,
  daemonSets,
  replicaSets,
  controllerRevisions,
  pods,
];

/**
 * Records all changes in a namespace, in the order of the API server. The timeline has its own watches, which do not
 * use the fault proxy. A watch that ends is an error, because invariants need every event. With `withGaps` the watch
 * is opened again, and the events in between are unknown.
 */
export class Timeline implements AsyncDisposable {
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #withGaps: boolean;
  readonly #entries: Entry[] = [];
  /** The latest observed state. */
  readonly world = new World();
  /** Monotonic time of the last observed change. */
  changedAt = 0;
  readonly #end = new AbortController();
  readonly #watching: Promise<void>[] = [];
  readonly #attention: TimelineTime;
  #broken: unknown;

  private constructor(client: KubeClient, namespace: string, withGaps: boolean, attention: TimelineTime) {
    this.#client = client;
    this.#namespace = namespace;
    this.#withGaps = withGaps;
    this.#attention = attention;
  }

  static async start(
    client: KubeClient,
    namespace: string,
    { withGaps = false, attention = new Attention() }: TimelineOptions = {},
  ): Promise<Timeline> {
    const timeline = new Timeline(client, namespace, withGaps, attention);
    await Promise.all(watched.map((resource) => timeline.#follow(resource)));
    return timeline;
  }

  /** Waits until the recording has caught up with the API server, and returns all entries. */
  async upToNow(): Promise<Entry[]> {
    for (const resource of watched) {
      const { items } = await this.#client.list(resource, { namespace: this.#namespace });
      await waitFor(`the recording of ${resource.plural} to catch up`, async () => {
        if (this.#broken !== undefined) throw new Error('a watch has ended', { cause: this.#broken });
        const known = new Set(this.#entries.map(({ object }) => stateOf(object)));
        const missing = items.filter((item) => !known.has(stateOf(item)));
        return missing.length === 0 ? { met: true } : { seen: `${missing.length} states are on their way` };
      });
    }
    return this.seen();
  }

  /** Number of recorded entries. */
  get length(): number {
    return this.#entries.length;
  }

  /** Returns the recorded entries in order. */
  seen(): Entry[] {
    if (this.#broken !== undefined) throw new Error('a watch has ended', { cause: this.#broken });
    return this.#entries.toSorted((a, b) => a.revision - b.revision);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#attention.stop();
    this.#end.abort();
    await Promise.all(this.#watching);
  }

  async #follow(resource: Resource): Promise<void> {
    const namespace = this.#namespace;
    const { items, metadata } = await this.#client.list(resource, { namespace });
    this.#forget(resource, new Set(items.map((item) => item.metadata.name)));
    for (const item of items) this.#add(resource, item, false, 0);
    const { signal } = this.#end;
    const from = { resourceVersion: metadata.resourceVersion ?? '', timeoutSeconds: 3600, signal };
    const watch = await this.#client.watch(resource, { namespace, ...from });
    const read = async () => {
      for await (const { type, object } of watch.events as AsyncIterable<WatchEvent>) {
        if (type === 'ERROR') throw new Error('the server has ended the watch');
        if (type !== 'BOOKMARK') this.#add(resource, object, type === 'DELETED', this.#attention.now());
      }
      throw new Error('the watch ran out');
    };
    this.#watching.push(
      read().catch(async (error: unknown) => {
        if (signal.aborted) return;
        if (this.#withGaps) await this.#followAgain(resource);
        else this.#broken = error;
      }),
    );
  }

  async #followAgain(resource: Resource): Promise<void> {
    while (!this.#end.signal.aborted) {
      try {
        return await this.#follow(resource);
      } catch {
        await delay(100);
      }
    }
  }

  /** Removes objects that were deleted while no watch was open. */
  #forget({ kind }: Resource, names: ReadonlySet<string | undefined>): void {
    for (const [key, { metadata }] of this.world.objects)
      if (key.startsWith(`${kind}/`) && !names.has(metadata.name)) this.world.objects.delete(key);
  }

  #add({ kind }: Resource, object: KubeObject, gone: boolean, at: number): void {
    const { name, resourceVersion } = object.metadata;
    const notBefore = Math.min(at, this.#attention.since);
    const revision = Number(resourceVersion);
    const entry = { kind, key: `${kind}/${name}`, revision, gone, object, at, notBefore };
    this.#entries.push(entry);
    this.changedAt = this.#attention.now();
    this.world.apply(entry);
  }
}

function stateOf({ metadata }: KubeObject): string {
  return `${metadata.uid} ${metadata.resourceVersion}`;
}
