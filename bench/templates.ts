import { BenchError } from './bench-error.ts';
import { edit, mountedConfigMap, type ReadTemplate, watchTemplates } from './managed-deployments.ts';
import type { BenchContext } from './row.ts';

/** The program that is measured may have ended. */
const maxWaitMs = 300_000;

/**
 * Tracks by a watch the template of each Deployment of a namespace, and resolves waits for a change. A template is known
 * by the ConfigMap that it mounts, unless another reader is given.
 */
export class Templates {
  readonly #templates = new Map<string, string>();
  readonly #waiting = new Map<
    string,
    { not: string; resolve: (at: number) => void; reject: (error: unknown) => void }
  >();
  readonly #context: BenchContext;
  #failure: { error: unknown } | undefined;

  private constructor(context: BenchContext) {
    this.#context = context;
  }

  static async watch(
    context: BenchContext,
    signal: AbortSignal,
    read: ReadTemplate = mountedConfigMap,
  ): Promise<Templates> {
    const templates = new Templates(context);
    await watchTemplates(context, signal, read, {
      onTemplate: (name, template) => templates.#seen(name, template),
      onFailure: (error) => templates.#fail(error),
    });
    return templates;
  }

  of(name: string): string {
    return this.#templates.get(name) ?? '';
  }

  /** Resolves with the time at which the Deployment has another template than `not`. Rejects after `maxWaitMs`. */
  changed(name: string, not: string): Promise<number> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    const now = this.#templates.get(name);
    if (now !== undefined && now !== not) return Promise.resolve(performance.now());
    return new Promise((resolve, reject) => {
      const fail = () =>
        reject(new BenchError(`Deployment ${name} was not patched within ${maxWaitMs / 1000} s`));
      const timer = setTimeout(fail, maxWaitMs).unref();
      this.#waiting.set(name, {
        not,
        resolve(at) {
          clearTimeout(timer);
          resolve(at);
        },
        reject,
      });
    });
  }

  /** Rejects all waits: what happens is no longer observed. */
  #fail(error: unknown): void {
    this.#failure = { error };
    for (const { reject } of this.#waiting.values()) reject(error);
  }

  /** Edits the ConfigMap of a Deployment and returns the milliseconds until the Deployment is patched. */
  async editAndWait(name: string, value: string): Promise<number> {
    const changed = this.changed(name, this.of(name));
    const began = performance.now();
    await edit(this.#context, name, value);
    return (await changed) - began;
  }

  #seen(name: string, template: string): void {
    this.#templates.set(name, template);
    const waiter = this.#waiting.get(name);
    if (waiter === undefined || waiter.not === template) return;
    this.#waiting.delete(name);
    waiter.resolve(performance.now());
  }
}
