import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import { Reflector } from '@trimtab/kube/watch/reflector.ts';
import type { GroupResource } from '../../quotas/quota-object.ts';
import { servedKinds } from '../host/served-kinds.ts';
import { collectionName } from './counted-collections.ts';

interface Counting {
  reflector: Reflector<string, 'namespace'>;
  stop: AbortController;
}

interface CountingWatchesOptions {
  client: KubeClient;
  log: Logger;
  onChange(resource: GroupResource, namespace: string, what: 'came' | 'went'): void;
}

/** Counts the objects of every collection that a quota counts. The cache keeps only the namespace of each object. */
export class CountingWatches {
  readonly #options: CountingWatchesOptions;
  readonly #watches = new Map<string, Counting>();

  constructor(options: CountingWatchesOptions) {
    this.#options = options;
  }

  /** Returns undefined when the API server does not serve the collection, or does not serve it yet. */
  async count(resource: GroupResource, namespace: string, signal: AbortSignal): Promise<number | undefined> {
    const name = collectionName(resource);
    const watch = this.#watches.get(name) ?? (await this.#begin(name, resource, signal));
    await watch?.reflector.waitForSync(signal);
    return watch?.reflector.cache.keysBy('namespace', namespace).size;
  }

  close(): void {
    for (const { stop } of this.#watches.values())
      stop.abort(new DOMException('resource quota controller is closing', 'AbortError'));
    this.#watches.clear();
  }

  async #begin(name: string, wanted: GroupResource, signal: AbortSignal): Promise<Counting | undefined> {
    const { client, log, onChange } = this.#options;
    const resource = (await servedKinds(client, signal)).find(
      (each) => isCountable(each) && isOf(wanted, each),
    );
    // A concurrent call may have started the watch during the discovery request.
    const begun = this.#watches.get(name);
    if (resource === undefined || begun !== undefined) return begun;
    const stop = new AbortController();
    const reflector = new Reflector<string, 'namespace'>({
      name: `quotas ${name}`,
      client,
      resource,
      projection: 'metadata',
      transform: ({ metadata }) => metadata.namespace ?? '',
      indexes: { namespace: (namespace) => [namespace] },
      log,
    });
    reflector.subscribe(({ before, after }) => {
      if (before === undefined || after === undefined)
        onChange(wanted, after ?? before ?? '', after === undefined ? 'went' : 'came');
    });
    reflector.run(stop.signal).catch((err: unknown) => log.error({ err, watch: name }, 'watch failed'));
    const watch = { reflector, stop };
    this.#watches.set(name, watch);
    return watch;
  }
}

function isCountable({
  verbs,
  namespaced,
  preferred,
}: Resource & { verbs: readonly string[]; preferred: boolean }) {
  return namespaced && preferred && ['list', 'watch'].every((verb) => verbs.includes(verb));
}

function isOf(wanted: GroupResource, { group, plural }: Resource): boolean {
  return group === wanted.group && plural === wanted.plural;
}
