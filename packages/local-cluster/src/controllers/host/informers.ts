import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { apiVersion, type Resource } from '@trimtab/kube/resource.ts';
import { Reflector } from '@trimtab/kube/watch/reflector.ts';
import { writeThroughClient } from '@trimtab/kube/watch/write-through-client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';

type IndexName = 'namespace' | 'controller' | 'orphan';

/** A cache of all objects of one kind, by `namespace/name`. */
export interface Informer<T extends KubeObject> {
  get(key: string): T | undefined;
  all(): T[];
  inNamespace(namespace: string): T[];
  /** Objects whose controller owner reference has this UID. */
  controlledBy(uid: string): T[];
  /** Objects without a controller owner reference. */
  orphansIn(namespace: string): T[];
  /** Calls the handler for each cached object and for each change. Changes are hints: read state from the cache. */
  subscribe(handler: (change: { key: string; before?: T; after?: T }) => void): () => void;
}

/**
 * One watch per kind, shared by all controllers, as in kube-controller-manager. Writes through a `noting` client enter
 * the caches immediately: otherwise a controller that has not seen its first pod yet would create a second one.
 */
export class Informers {
  readonly #client: KubeClient;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #reflectors = new Map<string, Reflector<KubeObject, IndexName>>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];

  constructor(client: KubeClient, log: Logger, clock: Clock) {
    this.#client = client;
    this.#log = log;
    this.#clock = clock;
  }

  /** Wraps a client: the objects that it writes also enter these caches. */
  noting(client: KubeClient): KubeClient {
    return writeThroughClient(client, (resource, object, projection) =>
      this.#reflectors.get(nameOf(resource))?.note(object, projection),
    ).client;
  }

  /** The first call for a kind starts its watch. */
  of<T extends KubeObject>(resource: Resource): Informer<T> {
    const name = nameOf(resource);
    const reflector = this.#reflectors.get(name) ?? this.#begin(name, resource);
    const { cache } = reflector;
    const values = (keys: Iterable<string>) => [...keys].flatMap((key) => (cache.get(key) as T) ?? []);
    return {
      get: (key) => cache.get(key) as T | undefined,
      all: () => values(cache.keys()),
      inNamespace: (namespace) => values(cache.keysBy('namespace', namespace)),
      controlledBy: (uid) => values(cache.keysBy('controller', uid)),
      orphansIn: (namespace) => values(cache.keysBy('orphan', namespace)),
      subscribe: (handler) =>
        reflector.subscribe((change) => handler(change as { key: string; before?: T; after?: T })),
    };
  }

  async waitForSync(): Promise<void> {
    const { signal } = this.#stop;
    await Promise.all([...this.#reflectors.values()].map((each) => each.waitForSync(signal)));
  }

  async close(): Promise<void> {
    this.#stop.abort(new DOMException('informers are closing', 'AbortError'));
    await Promise.all(this.#running);
  }

  #begin(name: string, resource: Resource): Reflector<KubeObject, IndexName> {
    const { apiVersion: version, kind } = { apiVersion: apiVersion(resource), kind: resource.kind };
    const reflector = new Reflector<KubeObject, IndexName>({
      name,
      client: this.#client,
      resource,
      projection: 'full',
      // The items of a list response lack apiVersion and kind.
      transform: (object) => ({ ...object, apiVersion: version, kind }),
      indexes: {
        namespace: ({ metadata }) => (metadata.namespace === undefined ? [] : [metadata.namespace]),
        controller: ({ metadata }) =>
          (metadata.ownerReferences ?? []).flatMap((owner) => (owner.controller ? owner.uid : [])),
        orphan: ({ metadata }) =>
          metadata.namespace === undefined || metadata.ownerReferences?.some(({ controller }) => controller)
            ? []
            : [metadata.namespace],
      },
      log: this.#log,
      clock: this.#clock,
    });
    this.#reflectors.set(name, reflector);
    const running = reflector.run(this.#stop.signal).catch((err: unknown) => {
      this.#log.error({ err, informer: name }, 'watch failed');
    });
    this.#running.push(running);
    return reflector;
  }
}

function nameOf({ group, plural }: Resource): string {
  return group === '' ? plural : `${plural}.${group}`;
}
