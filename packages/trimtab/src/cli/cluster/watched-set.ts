import type { KubeClient, ListOptions } from '@trimtab/kube/client.ts';
import { systemClock } from '@trimtab/kube/clock.ts';
import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import { ApiError, isForbidden, NetworkError } from '@trimtab/kube/transport/errors.ts';
import { Reflector } from '@trimtab/kube/watch/reflector.ts';
import type { KubeList, KubeObject } from '@trimtab/kube/wire.ts';

export interface WatchedSetOptions<T> {
  client: KubeClient;
  resource: Resource;
  /** Defaults to all namespaces. */
  namespace?: string | undefined;
  /** Only the object with this name. A caller who may not list it can still follow it with the verb get. */
  name?: string | undefined;
  /** Without these objects there is nothing to show: `start` rejects when they may not be read. */
  isRequired?: boolean;
  transform(object: KubeObject): T;
  /** Approximate interval of reads of the whole set. Events are hints, and a watch may be forbidden or silent. */
  rereadSeconds: number;
  onChange(): void;
}

/** What is wrong with the connection of a set. */
export type WatchTrouble =
  | { is: 'watch forbidden'; resource: string; everySeconds: number }
  | { is: 'disconnected'; code: string; seconds: number };

/** A shorter failure is not worth a note on the screen. */
const noteworthySeconds = 2;

/** The objects of one resource, kept up to date over a bad connection and without the right to watch. */
export class WatchedSet<T> {
  readonly #options: WatchedSetOptions<T>;
  readonly #reflector: Reflector<T>;
  readonly #first = Promise.withResolvers<void>();
  #isListForbidden = false;
  #isWatchForbidden = false;
  /** The first of the requests that have failed since the last one that succeeded. */
  #failing: { since: number; code: string } | undefined;

  constructor(options: WatchedSetOptions<T>) {
    this.#options = options;
    const { resource, namespace, name, transform, rereadSeconds } = options;
    this.#reflector = new Reflector<T>({
      name: resource.plural,
      client: this.#observedClient(options.client),
      ...{ resource, transform, projection: 'full', indexes: {}, log: silentLogger },
      ...(namespace !== undefined && { namespace }),
      ...(name !== undefined && { fieldSelector: `metadata.name=${name}` }),
      timings: {
        relistEverySeconds: rereadSeconds,
        initialSilenceMs: 10_000,
        backoff: { initialMs: 200, maxMs: 3_000 },
      },
    });
  }

  /**
   * Follows the set until `signal` aborts. Resolves when the set is complete, or when the caller may not list it. Rejects
   * when the first read fails otherwise.
   */
  async start(signal: AbortSignal): Promise<void> {
    const reflector = this.#reflector;
    reflector.run(signal).catch((error: unknown) => this.#first.reject(error));
    reflector.waitForSync(signal).then(this.#first.resolve, this.#first.reject);
    await this.#first.promise;
    reflector.subscribe(() => this.#options.onChange());
  }

  /** Undefined when the caller may not list the objects. */
  get items(): T[] | undefined {
    if (this.#isListForbidden) return undefined;
    return [...this.#reflector.cache.entries()].map(([, value]) => value);
  }

  /** Reads the whole set again. */
  async refresh(): Promise<void> {
    if (!this.#isListForbidden) await this.#reflector.refresh();
  }

  trouble(): WatchTrouble | undefined {
    const { resource, rereadSeconds } = this.#options;
    if (this.#isListForbidden) return undefined;
    if (this.#isWatchForbidden)
      return { is: 'watch forbidden', resource: resource.plural, everySeconds: rereadSeconds };
    if (this.#failing === undefined) return undefined;
    const seconds = Math.floor((systemClock.monotonic() - this.#failing.since) / 1000);
    return seconds < noteworthySeconds
      ? undefined
      : { is: 'disconnected', code: this.#failing.code, seconds };
  }

  /** The reflector retries for ever; which of its requests was refused, and why, is seen here. */
  #observedClient(client: KubeClient): Pick<KubeClient, 'list' | 'watch'> {
    return {
      list: async (resource, options) => {
        try {
          const list = await this.#list(client, resource, options);
          this.#isListForbidden = false;
          this.#failing = undefined;
          return list;
        } catch (error) {
          this.#isListForbidden = isForbidden(error);
          if (this.#isListForbidden && this.#options.isRequired !== true) this.#first.resolve();
          else this.#first.reject(error);
          this.#failed(error);
          throw error;
        }
      },
      watch: async (resource, options) => {
        try {
          const stream = await client.watch(resource, options);
          this.#isWatchForbidden = false;
          this.#failing = undefined;
          return stream;
        } catch (error) {
          if (isForbidden(error)) this.#isWatchForbidden = true;
          else this.#failed(error);
          throw error;
        }
      },
    };
  }

  async #list(client: KubeClient, resource: Resource, options?: ListOptions): Promise<KubeList<never>> {
    const { name, namespace } = this.#options;
    try {
      return await client.list<never>(resource, options);
    } catch (error) {
      if (!isForbidden(error) || name === undefined) throw error;
      const where = { name, ...(namespace !== undefined && { namespace }) };
      const found = await getIfExists<KubeObject>(client, resource, where).catch(() => Promise.reject(error));
      const { resourceVersion = '0' } = found?.metadata ?? {};
      return { metadata: { resourceVersion }, items: found === undefined ? [] : [found as never] };
    }
  }

  #failed(error: unknown): void {
    const code =
      error instanceof NetworkError
        ? error.code
        : error instanceof ApiError
          ? `${error.status} ${error.reason}`
          : 'no response';
    this.#failing = { since: this.#failing?.since ?? systemClock.monotonic(), code };
  }
}
