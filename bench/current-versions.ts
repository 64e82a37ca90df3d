import type { ConfigRollout } from 'trimtab/api/config-rollout.ts';
import { configRollouts } from 'trimtab/api/config-rollout.ts';
import type { BenchContext } from './row.ts';
import { watchFromNow } from './watch-from-now.ts';

/** Tracks by a watch which version of each config is current, which tells when a rollout has finished. */
export class CurrentVersions {
  readonly #current = new Map<string, string>();
  readonly #waiting = new Map<string, { object: string; resolve: () => void }>();

  static async watch({ client, namespace }: BenchContext, signal: AbortSignal): Promise<CurrentVersions> {
    const versions = new CurrentVersions();
    await new Promise<void>((resolve, reject) => {
      const watching = async () => {
        const options = { namespace, signal, onOpen: () => resolve() };
        for await (const { object } of watchFromNow<ConfigRollout>(client, configRollouts, options))
          versions.#seen(object);
      };
      watching().catch(reject);
    });
    return versions;
  }

  /** The object of the current version of the config. */
  of(config: string): string | undefined {
    return this.#current.get(config);
  }

  /** Resolves when this object is the current version of the config. */
  is(config: string, object: string): Promise<void> {
    if (this.#current.get(config) === object) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.set(config, { object, resolve }));
  }

  #seen({ spec, status }: ConfigRollout): void {
    const { name } = spec.config;
    const object = status?.current?.object ?? '';
    this.#current.set(name, object);
    const waiter = this.#waiting.get(name);
    if (waiter?.object !== object) return;
    this.#waiting.delete(name);
    waiter.resolve();
  }
}
