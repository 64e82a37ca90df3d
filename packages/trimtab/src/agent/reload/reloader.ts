import type { Clock } from '@trimtab/kube/clock.ts';
import type { SourceState } from '../files/file-set.ts';
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

/** What an application is told. */
export interface TellRequest {
  /** When the files were written, in clock ticks since boot; see `Attempt`. */
  writtenAtTicks: number;
  /** The configs that the files were made from, and those of the set that the application has used so far. */
  sources: readonly SourceState[];
  previous: readonly SourceState[];
  /** Aborts when the configs have changed again, so that an application that does not answer is not waited for. */
  superseded?: AbortSignal;
  signal: AbortSignal;
}

export interface ReloadRequest extends TellRequest {
  /** Whether the application is known to run with a good set. A check of it says nothing about new files otherwise. */
  isApplicationHealthy: boolean;
  /** Whether the agent was ready before, so that containers which wait for it may run. */
  isReady: boolean;
}

/** Brings written files into the application. `wasTold` says whether the application may have read them. */
export interface ReloadResult {
  outcome: Outcome;
  wasTold: boolean;
}

/** Brings files into applications. */
export interface ApplicationReloader {
  reload(request: ReloadRequest): Promise<ReloadResult>;
  /** Checks the files before an application is started with them. */
  verifyFiles(signal: AbortSignal): Promise<Outcome>;
  /** Tells the application about files that are known to be good. */
  tell(request: TellRequest): Promise<Outcome>;
}

/** Checks the files, tells the application, and checks again. */
export class Reloader implements ApplicationReloader {
  readonly #options: ReloaderOptions;

  constructor(options: ReloaderOptions) {
    this.#options = options;
  }

  async reload(request: ReloadRequest): Promise<ReloadResult> {
    const { isApplicationHealthy, signal } = request;
    const { verifyApplication } = this.#options;
    let outcome = await this.verifyFiles(signal);
    if (!outcome.ok) return { outcome, wasTold: false };
    if (isApplicationHealthy) outcome = await this.#run(verifyApplication, Infinity, 0, signal);
    // An application that is unhealthy before it reads the files does not reject them.
    if (!outcome.ok) return { outcome: { ...outcome, kind: 'unreachable' }, wasTold: false };
    outcome = await this.tell(request);
    if (outcome.ok) outcome = await this.verifyFiles(signal);
    // The application may be restarting its workers, so an application that does not answer is asked again.
    if (outcome.ok) outcome = await this.#run(verifyApplication, Infinity, this.#options.retries, signal);
    return { outcome, wasTold: true };
  }

  verifyFiles(signal: AbortSignal): Promise<Outcome> {
    return this.#run(this.#options.verifyFiles, Infinity, 0, signal);
  }

  async tell({ writtenAtTicks, signal }: TellRequest): Promise<Outcome> {
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
