import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import { Reflector } from '@trimtab/kube/watch/reflector.ts';
import { type Node, nodeOf } from './owner-graph.ts';

interface Watch {
  resource: Resource;
  reflector: Reflector<Node>;
  stop: AbortController;
}

export interface EndedWatch {
  resource: Resource;
  nodes: Node[];
}

interface MetadataWatchesOptions {
  client: KubeClient;
  log: Logger;
  clock: Clock;
  onChange(resource: Resource, before: Node | undefined, after: Node | undefined): void;
}

/** One watch for each kind, of metadata only: bodies never leave the server. Kinds come and go. */
export class MetadataWatches {
  readonly #options: MetadataWatchesOptions;
  readonly #watches = new Map<string, Watch>();
  #isClosed = false;

  constructor(options: MetadataWatchesOptions) {
    this.#options = options;
  }

  /** Begins and ends watches, so that there is one for each of these; answers what the ended ones had seen. */
  follow(resources: readonly Resource[]): EndedWatch[] {
    const wanted = new Map(this.#isClosed ? [] : resources.map((each) => [nameOf(each), each]));
    const ended = [...this.#watches].filter(([name]) => !wanted.has(name));
    for (const [name, { stop }] of ended) {
      this.#watches.delete(name);
      stop.abort(new DOMException('the kind is not served any more', 'AbortError'));
    }
    for (const [name, resource] of wanted)
      if (!this.#watches.has(name)) this.#watches.set(name, this.#begin(name, resource));
    return ended.map(([, { resource, reflector }]) => ({
      resource,
      nodes: [...reflector.cache.entries()].map(([, node]) => node),
    }));
  }

  async waitForSync(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#watches.values()].map(({ reflector }) => reflector.waitForSync(signal)));
  }

  /** For good: who is just learning the kinds begins no watch any more. */
  close(): void {
    this.#isClosed = true;
    this.follow([]);
  }

  #begin(name: string, resource: Resource): Watch {
    const { client, log, clock, onChange } = this.#options;
    const stop = new AbortController();
    const reflector = new Reflector<Node>({
      name: `garbage ${name}`,
      client,
      resource,
      projection: 'metadata',
      transform: (object) => nodeOf(resource, object),
      indexes: {},
      log,
      clock,
    });
    reflector.subscribe(({ before, after }) => onChange(resource, before, after));
    reflector.run(stop.signal).catch((err: unknown) => log.error({ err, watch: name }, 'watch failed'));
    return { resource, reflector, stop };
  }
}

/** With the version: one that is not served any more cannot be watched. */
function nameOf({ group, version, plural }: Resource): string {
  return `${plural}.${version}.${group}`;
}
