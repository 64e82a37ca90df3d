import type { KubeClient } from '@trimtab/kube/client.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import { isForbidden } from '@trimtab/kube/transport/errors.ts';
import { Reflector } from '@trimtab/kube/watch/reflector.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';

export interface WatchedSetOptions<T> {
  client: KubeClient;
  resource: Resource;
  /** Defaults to all namespaces. */
  namespace?: string | undefined;
  fieldSelector?: string | undefined;
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

  constructor(options: WatchedSetOptions<T>) {
    this.#options = options;
    const { resource, namespace, fieldSelector, transform, rereadSeconds } = options;
    this.#reflector = new Reflector<T>({
      name: resource.plural,
      client: this.#observedClient(options.client),
      ...{ resource, transform, projection: 'full', indexes: {}, log: silentLogger },
      ...(namespace !== undefined && { namespace }),
      ...(fieldSelector !== undefined && { fieldSelector }),
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
    const { failingForSeconds = 0, lastErrorCode } = this.#reflector.health();
    if (this.#isWatchForbidden && lastErrorCode === '403')
      return { is: 'watch forbidden', resource: resource.plural, everySeconds: rereadSeconds };
    if (lastErrorCode === undefined || failingForSeconds < noteworthySeconds) return undefined;
    return { is: 'disconnected', code: lastErrorCode, seconds: Math.floor(failingForSeconds) };
  }

  /** The reflector retries for ever; which of its requests was refused, and why, is seen here. */
  #observedClient(client: KubeClient): Pick<KubeClient, 'list' | 'watch'> {
    return {
      list: async (resource, options) => {
        try {
          const list = await client.list<never>(resource, options);
          this.#isListForbidden = false;
          return list;
        } catch (error) {
          this.#isListForbidden = isForbidden(error);
          if (this.#isListForbidden) this.#first.resolve();
          else this.#first.reject(error);
          throw error;
        }
      },
      watch: async (resource, options) => {
        try {
          const stream = await client.watch(resource, options);
          this.#isWatchForbidden = false;
          return stream;
        } catch (error) {
          this.#isWatchForbidden ||= isForbidden(error);
          throw error;
        }
      },
    };
  }
}
