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

/** One state that an object took, or its end. */
export interface Entry {
  kind: string;
  /** `Deployment/web` */
  key: string;
  /** The server's revision, which orders the changes of all kinds. */
  revision: number;
  gone: boolean;
  object: KubeObject;
  /** When we saw it, in milliseconds that never go back; 0 for what was there before. */
  at: number;
  /** Since when it may have lain there unseen: this process was busy, or had no processor. */
  notBefore: number;
}

/** In which time it is told. */
interface TimelineTime {
  now(): number;
  /** Since when what arrives now may have lain there unseen. */
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
 * Everything that happened in a namespace since the recording began, in the order in which the server did it. It
 * watches beside the controller, not through its proxy. A watch that ends is an error, since 'never' needs all of it;
 * `withGaps` it begins again, and what was in between is not known.
 */
export class Timeline implements AsyncDisposable {
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #withGaps: boolean;
  readonly #entries: Entry[] = [];
  /** As it is now, as far as we have seen. */
  readonly world = new World();
  /** When we last saw something, in the same milliseconds. */
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

  /** All of it up to now. */
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

  /** How many states have arrived. */
  get length(): number {
    return this.#entries.length;
  }

  /** What has arrived. */
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

  /** What is not there any more went while nobody looked. */
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
