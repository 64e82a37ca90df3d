import type { Logger } from '@trimtab/kube/log/log.ts';

/** Logs a lasting condition when it begins and when it changes. */
export class LastingConditions {
  readonly #log: Logger;
  readonly #reported = new Map<string, string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** An empty reason ends the condition. */
  report(about: string, reason: string, message: string): void {
    if (this.#reported.get(about) === reason) return;
    this.#reported.set(about, reason);
    if (reason !== '') this.#log.warn({ reason }, message);
  }

  /** Forgets all conditions except the one that lasts as long as the configs that cause it. */
  clearExcept(kept: string): void {
    for (const about of this.#reported.keys()) if (about !== kept) this.#reported.delete(about);
  }
}
