import type { KubeObject, WatchEvent } from '../../src/api/wire.ts';
import type { KubeClient, Selection } from '../../src/kube/client.ts';
import type { Resource } from '../../src/kube/resource.ts';
import { waitFor } from './wait-for.ts';

/**
 * Every state that the objects of a kind take from its start on, for what must hold all the time or must never
 * have been. The end of a watch is an error: a test that looked away can't say 'never'.
 */
export class StateRecording<T extends KubeObject> implements AsyncDisposable {
  readonly #client: KubeClient;
  readonly #resource: Resource;
  readonly #selection: Selection;
  readonly #end = new AbortController();
  readonly #states: T[];
  #watching: Promise<void> = Promise.resolve();
  #broken: unknown;

  private constructor(client: KubeClient, resource: Resource, selection: Selection, states: T[]) {
    this.#client = client;
    this.#resource = resource;
    this.#selection = selection;
    this.#states = states;
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

  /** All states up to now, in the order in which they were taken. */
  async upToNow(): Promise<readonly T[]> {
    const { items } = await this.#client.list<T>(this.#resource, this.#selection);
    await waitFor(`the recording of ${this.#resource.plural} to catch up`, async () => {
      if (this.#broken !== undefined) throw new Error('the watch has ended', { cause: this.#broken });
      const known = new Set(this.#states.map(stateOf));
      const missing = items.filter((item) => !known.has(stateOf(item)));
      return missing.length === 0 ? { met: true } : { seen: `${missing.length} states are on their way` };
    });
    return this.#states;
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
      if (type === 'ADDED' || type === 'MODIFIED') this.#states.push(object);
    }
    throw new Error('the watch ran out');
  }
}

function stateOf({ metadata }: KubeObject): string {
  return `${metadata.uid} ${metadata.resourceVersion}`;
}
