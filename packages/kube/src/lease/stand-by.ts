import type { KubeClient, ObjectKey } from '../client.ts';
import type { Clock } from '../clock.ts';
import type { Candidate } from './candidate.ts';
import type { ElectionReporter } from './election-reporter.ts';
import { InterruptibleWait } from './interruptible-wait.ts';
import { watchForRelease } from './release-watch.ts';
import { jitterFactor, type LeaseTiming } from './timing.ts';

interface StandByContext {
  client: KubeClient;
  lease: ObjectKey & { namespace: string };
  signal: AbortSignal;
  clock: Clock;
  timing: LeaseTiming;
  candidate: Candidate;
  reporter: ElectionReporter;
}

/** Returns when this candidate has acquired the Lease, or when `signal` aborts. */
export async function standBy(context: StandByContext): Promise<void> {
  const { candidate, clock, reporter, signal, timing } = context;
  const wait = new InterruptibleWait();
  const wake = () => wait.wake();
  signal.addEventListener('abort', wake);
  const watch = new RestartedWatch(context, wake);
  try {
    while (!signal.aborted) {
      await reporter.reportRound(candidate.round());
      reporter.holderSeen(candidate.holder());
      if (candidate.mayLead()) return;
      watch.keep();
      await wait.sleep(clock, timing.retryPeriodMs * (1 + Math.random() * jitterFactor));
    }
  } finally {
    signal.removeEventListener('abort', wake);
    watch.stop();
  }
}

/**
 * A watch that is reopened after it has ended, at most once for each attempt to acquire the Lease, so it cannot spin.
 */
class RestartedWatch {
  readonly #context: StandByContext;
  readonly #onFree: () => void;
  readonly #stopped = new AbortController();
  #running = false;

  constructor(context: StandByContext, onFree: () => void) {
    this.#context = context;
    this.#onFree = onFree;
  }

  keep(): void {
    if (this.#running) return;
    this.#running = true;
    void this.#run().finally(() => {
      this.#running = false;
    });
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #run(): Promise<void> {
    const { candidate, client, lease, reporter } = this.#context;
    const { signal } = this.#stopped;
    const resourceVersion = candidate.resourceVersion();
    try {
      await watchForRelease({ client, lease, resourceVersion, signal, onFree: this.#onFree });
    } catch (error) {
      if (!signal.aborted) reporter.watchFailed(error);
    }
  }
}
