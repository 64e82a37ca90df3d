import type { KubeClient, Selection } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject, WatchEvent } from '@trimtab/kube/wire.ts';
import { waitFor } from './wait-for.ts';

/** The objects of a kind at one point in time, by UID. */
export type Moment<T> = ReadonlyMap<string, T>;

/**
 * Records every state of the objects of a kind, for assertions about what always or never happens. The end of the watch
 * is an error: a recording with a gap cannot prove that something never happened.
 */
export class StateRecording<T extends KubeObject> implements AsyncDisposable {
  readonly #client: KubeClient;
  readonly #resource: Resource;
  readonly #selection: Selection;
  readonly #end = new AbortController();
  readonly #states: T[];
  readonly #moments: Moment<T>[];
  #watching: Promise<void> = Promise.resolve();
  #broken: unknown;

  private constructor(client: KubeClient, resource: Resource, selection: Selection, states: T[]) {
    this.#client = client;
    this.#resource = resource;
    this.#selection = selection;
    this.#states = states;
    this.#moments = [new Map(states.map((state) => [state.metadata.uid ?? '', state]))];
  }

  static async start<T extends KubeObject>(
    client: KubeClient,
    resource: Resource,
    selection: Selection,
  ): Promise<StateRecording<T>> {
    const { items, metadata } = await client.list<T>(resource, selection);
    const recording = new StateRecording(client, resource, selection, items);
    recording.#watching = recording.#watch(metadata.resourceVersion ?? '').catch((error: unknown) => {
      if (!recording.#end.signal.aborted) recording.#broken = error;
    });
    return recording;
  }

  /** All states up to now, in the order of the events. */
  async upToNow(): Promise<readonly T[]> {
    await this.#caughtUp();
    return this.#states;
  }

  /** The state of the collection after each change up to now. The first one is the initial state. */
  async moments(): Promise<readonly Moment<T>[]> {
    await this.#caughtUp();
    return this.#moments;
  }

  /** Waits until the recording contains the current state. A watch delivers all changes in order. */
  async #caughtUp(): Promise<void> {
    const { items } = await this.#client.list<T>(this.#resource, this.#selection);
    const now = textOf(items);
    await waitFor(`the recording of ${this.#resource.plural} to catch up`, async () => {
      if (this.#broken !== undefined)
        throw new Error('the watch of the recording ended', { cause: this.#broken });
      const isSeen = this.#moments.some((moment) => textOf(moment.values()) === now);
      return isSeen ? { met: true } : { seen: `${this.#moments.length} moments` };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#watching;
  }

  async #watch(resourceVersion: string): Promise<void> {
    const { signal } = this.#end;
    const options = { ...this.#selection, resourceVersion, timeoutSeconds: 600, signal };
    const watch = await this.#client.watch(this.#resource, options);
    for await (const { type, object } of watch.events as AsyncIterable<WatchEvent<T>>) {
      if (type === 'ERROR') throw new Error('the server ended the watch with an ERROR event');
      if (type === 'BOOKMARK') continue;
      const next = new Map(this.#moments.at(-1));
      if (type === 'DELETED') next.delete(object.metadata.uid ?? '');
      else {
        next.set(object.metadata.uid ?? '', object);
        this.#states.push(object);
      }
      this.#moments.push(next);
    }
    throw new Error('the server closed the watch');
  }
}

function textOf(objects: Iterable<KubeObject>): string {
  return Array.from(objects, ({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`)
    .sort()
    .join();
}
