import type { Clock } from '@trimtab/kube/clock.ts';
import { type Action, type Outcome, succeeded } from './outcome.ts';
import { runWithRetries } from './run-with-retries.ts';

export interface ReloaderOptions {
  /** How the application is told, in this order. Empty when nothing is told, as with --once. */
  tell: readonly Action[];
  /** Checks the files (--verify-exec). */
  verifyFiles?: Action;
  /** Checks the application (--verify-http). */
  verifyApplication?: Action;
  timeoutMs: number;
  retries: number;
  clock: Clock;
}

export interface ReloadRequest {
  writtenAtTicks: number;
  /** Whether the application is known to run with a good set. A check of it says nothing about new files otherwise. */
  isApplicationHealthy: boolean;
  signal: AbortSignal;
}

/** Brings written files into the application. `wasTold` says whether the application may have read them. */
export interface ReloadResult {
  outcome: Outcome;
  wasTold: boolean;
}

/** Checks the files, tells the application, and checks again. */
export class Reloader {
  readonly #options: ReloaderOptions;

  constructor(options: ReloaderOptions) {
    this.#options = options;
  }

  async reload({ writtenAtTicks, isApplicationHealthy, signal }: ReloadRequest): Promise<ReloadResult> {
    const { verifyApplication } = this.#options;
    let outcome = await this.verifyFiles(signal);
    if (!outcome.ok) return { outcome, wasTold: false };
    if (isApplicationHealthy) outcome = await this.#run(verifyApplication, Infinity, 0, signal);
    // An application that is unhealthy before it reads the files does not reject them.
    if (!outcome.ok) return { outcome: { ...outcome, kind: 'unreachable' }, wasTold: false };
    outcome = await this.tell(writtenAtTicks, signal);
    if (outcome.ok) outcome = await this.verifyFiles(signal);
    // The application may be restarting its workers, so an application that does not answer is asked again.
    if (outcome.ok) outcome = await this.#run(verifyApplication, Infinity, this.#options.retries, signal);
    return { outcome, wasTold: true };
  }

  verifyFiles(signal: AbortSignal): Promise<Outcome> {
    return this.#run(this.#options.verifyFiles, Infinity, 0, signal);
  }

  async tell(writtenAtTicks: number, signal: AbortSignal): Promise<Outcome> {
    for (const action of this.#options.tell) {
      const outcome = await this.#run(action, writtenAtTicks, this.#options.retries, signal);
      if (!outcome.ok) return outcome;
    }
    return succeeded;
  }

  async #run(
    action: Action | undefined,
    writtenAtTicks: number,
    retries: number,
    signal: AbortSignal,
  ): Promise<Outcome> {
    if (action === undefined) return succeeded;
    const { clock, timeoutMs } = this.#options;
    return runWithRetries(action, writtenAtTicks, { clock, timeoutMs, retries, signal });
  }
}
