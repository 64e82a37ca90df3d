import { edit, watchMounts } from './managed-deployments.ts';
import type { BenchContext } from './row.ts';

/** Tracks by a watch which ConfigMap each Deployment of a namespace mounts, and resolves waits for a change. */
export class Mounts {
  readonly #mounts = new Map<string, string>();
  readonly #waiting = new Map<string, { not: string; resolve: (at: number) => void }>();
  readonly #context: BenchContext;

  private constructor(context: BenchContext) {
    this.#context = context;
  }

  static async watch(context: BenchContext, signal: AbortSignal): Promise<Mounts> {
    const mounts = new Mounts(context);
    await watchMounts(context, signal, (name, mount) => mounts.#seen(name, mount));
    return mounts;
  }

  of(name: string): string {
    return this.#mounts.get(name) ?? '';
  }

  /** Resolves with the time at which the Deployment mounts another ConfigMap than `not`. */
  changed(name: string, not: string): Promise<number> {
    const now = this.#mounts.get(name);
    if (now !== undefined && now !== not) return Promise.resolve(performance.now());
    return new Promise((resolve) => this.#waiting.set(name, { not, resolve }));
  }

  /** Edits the ConfigMap of a Deployment and returns the milliseconds until the Deployment mounts another one. */
  async editAndWait(name: string, value: string): Promise<number> {
    const changed = this.changed(name, this.of(name));
    const began = performance.now();
    await edit(this.#context, name, value);
    return (await changed) - began;
  }

  #seen(name: string, mount: string): void {
    this.#mounts.set(name, mount);
    const waiter = this.#waiting.get(name);
    if (waiter === undefined || waiter.not === mount) return;
    this.#waiting.delete(name);
    waiter.resolve(performance.now());
  }
}
