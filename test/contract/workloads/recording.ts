import type { KubeObject, WatchEvent } from '../../../src/api/wire.ts';
import type { KubeClient, Selection } from '../../../src/kube/client.ts';
import type { Resource } from '../../../src/kube/resource.ts';
import { waitFor } from '../../support/wait-for.ts';

/**
 * The objects of a kind as they are after each change, from its start on: for what must hold at every moment. The end of
 * the watch is an error: who looked away cannot say 'always'.
 */
export class Recording<T extends KubeObject> implements AsyncDisposable {
  /** One for each moment, the first is how all began. */
  readonly moments: ReadonlyMap<string, T>[];
  readonly #client: KubeClient;
  readonly #resource: Resource;
  readonly #selection: Selection;
  readonly #end = new AbortController();
  #watching: Promise<void> = Promise.resolve();
  #broken: unknown;

  private constructor(client: KubeClient, resource: Resource, selection: Selection, first: Map<string, T>) {
    this.#client = client;
    this.#resource = resource;
    this.#selection = selection;
    this.moments = [first];
  }

  static async start<T extends KubeObject>(
    client: KubeClient,
    resource: Resource,
    selection: Selection,
  ): Promise<Recording<T>> {
    const { items, metadata } = await client.list<T>(resource, selection);
    const first = new Map(items.map((item) => [item.metadata.uid ?? '', item]));
    const recording = new Recording(client, resource, selection, first);
    recording.#watching = recording.#watch(metadata.resourceVersion ?? '').catch((error: unknown) => {
      if (!recording.#end.signal.aborted) recording.#broken = error;
    });
    return recording;
  }

  /** Waits until it has seen what is there now. */
  async caughtUp(): Promise<void> {
    const { items } = await this.#client.list<T>(this.#resource, this.#selection);
    const now = items.map(stateOf).sort().join();
    await waitFor(`the recording of ${this.#resource.plural} to catch up`, async () => {
      if (this.#broken !== undefined) throw new Error('the watch has ended', { cause: this.#broken });
      const isSeen = this.moments.some((moment) => [...moment.values()].map(stateOf).sort().join() === now);
      return isSeen ? { met: true } : { seen: `${this.moments.length} moments` };
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
      if (type === 'ERROR') throw new Error('the server has ended the watch');
      if (type === 'BOOKMARK') continue;
      const next = new Map(this.moments.at(-1));
      if (type === 'DELETED') next.delete(object.metadata.uid ?? '');
      else next.set(object.metadata.uid ?? '', object);
      this.moments.push(next);
    }
    throw new Error('the watch ran out');
  }
}

function stateOf({ metadata }: KubeObject): string {
  return `${metadata.uid} ${metadata.resourceVersion}`;
}
