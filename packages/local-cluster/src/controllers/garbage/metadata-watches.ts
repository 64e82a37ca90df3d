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

/** One metadata-only watch per kind: object bodies are never transferred. Kinds can be added and removed. */
export class MetadataWatches {
  readonly #options: MetadataWatchesOptions;
  readonly #watches = new Map<string, Watch>();
  #isClosed = false;

  constructor(options: MetadataWatchesOptions) {
    this.#options = options;
  }

  /** Starts and stops watches to match these resources. Returns the cached objects of the stopped watches. */
  follow(resources: readonly Resource[]): EndedWatch[] {
    const wanted = new Map(this.#isClosed ? [] : resources.map((each) => [nameOf(each), each]));
    const ended = [...this.#watches].filter(([name]) => !wanted.has(name));
    for (const [name, { stop }] of ended) {
      this.#watches.delete(name);
      stop.abort(new DOMException('kind is no longer served', 'AbortError'));
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

  /** Stops all watches permanently: a discovery that is still running starts no new watch. */
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

/** Includes the version: a version that is no longer served cannot be watched. */
function nameOf({ group, version, plural }: Resource): string {
  return `${plural}.${version}.${group}`;
}
