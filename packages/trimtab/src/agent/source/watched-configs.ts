import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import { Reflector } from '@trimtab/kube/watch/reflector.ts';
import type { WatchTimings } from '@trimtab/kube/watch/watched-collection.ts';
import { type Config, type ConfigRef, configOf, displayName } from './config.ts';
import { namedObjectClient } from './named-object-client.ts';
import type { Interruption, Observed, Source } from './source.ts';

interface WatchedConfigsOptions {
  client: KubeClient;
  refs: readonly ConfigRef[];
  log: Logger;
  metrics?: Registry;
  clock?: Clock;
  timings?: Partial<WatchTimings>;
}

interface Watched {
  ref: ConfigRef;
  reflector: Reflector<Config>;
}

/** Configs from the Kubernetes API: one watch for each. */
export class WatchedConfigs implements Source {
  readonly #watched: readonly Watched[];

  constructor({ client, refs, ...options }: WatchedConfigsOptions) {
    this.#watched = refs.map((ref) => ({
      ref,
      reflector: new Reflector<Config>({
        ...options,
        name: displayName(ref),
        client: namedObjectClient(client, ref),
        resource: configResources[ref.kind],
        namespace: ref.namespace,
        fieldSelector: `metadata.name=${ref.name}`,
        projection: 'full',
        transform: (object) => configOf(ref, object),
        indexes: {},
      }),
    }));
  }

  observe(): Observed[] {
    return this.#watched.map(({ ref, reflector }): Observed => {
      const config = reflector.cache.get(`${ref.namespace}/${ref.name}`);
      if (config !== undefined) return { state: 'present', config };
      return { state: reflector.health().synced ? 'missing' : 'unknown', ref };
    });
  }

  interruption(): Interruption | undefined {
    const failing = this.#watched.flatMap(({ ref, reflector }) => {
      const { failingForSeconds, lastErrorCode } = reflector.health();
      if (failingForSeconds === undefined) return [];
      return [
        {
          forSeconds: failingForSeconds,
          problem: `watch of ${displayName(ref)}: ${lastErrorCode ?? 'failing'}`,
        },
      ];
    });
    return failing.sort((a, b) => b.forSeconds - a.forSeconds)[0];
  }

  async run(onChange: () => void, signal: AbortSignal): Promise<void> {
    for (const { reflector } of this.#watched) {
      reflector.subscribe(onChange);
      // A config that does not exist causes no change of the cache.
      void reflector.waitForSync(signal).then(onChange, () => {});
    }
    await Promise.all(this.#watched.map(({ reflector }) => reflector.run(signal)));
  }
}
