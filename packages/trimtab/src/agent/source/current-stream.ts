import { backoffMs } from '@trimtab/kube/backoff.ts';
import { type Clock, sleep } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { ApiError, NetworkError } from '@trimtab/kube/transport/errors.ts';
import { readEvent } from '@trimtab/kube/watch/read-event.ts';
import type { KubeObject, Status } from '@trimtab/kube/wire.ts';
import { type ConfigRef, displayName } from './config.ts';
import type { GatewayClient } from './gateway-client.ts';
import type { Interruption } from './source.ts';

interface CurrentStreamOptions {
  client: Pick<GatewayClient, 'watchCurrent'>;
  ref: ConfigRef;
  clock: Clock;
  log: Logger;
  random?: () => number;
  /** Called for each state of the config. */
  onVersion(object: KubeObject): void;
  /** Called when the gateway has accepted a new stream. */
  onOpen(): void;
  /** Called when a stream could not be opened, or has ended with an error. */
  onFailure(): void;
}

const backoff = { initialMs: 400, maxMs: 15_000 };
/** Streams end together when a gateway stops, so they are not reopened at the same moment. */
const reopenMs = 500;

/** Follows the version of one config that this pod should run. */
export class CurrentStream {
  readonly #options: CurrentStreamOptions;
  readonly #random: () => number;
  #failures = 0;
  #failing: { since: number; problem: string } | undefined;

  constructor(options: CurrentStreamOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
  }

  interruption(): Interruption | undefined {
    if (this.#failing === undefined) return undefined;
    const { since, problem } = this.#failing;
    return { forSeconds: (this.#options.clock.monotonic() - since) / 1000, problem };
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      const waitMs = await this.#follow(signal).then(
        () => reopenMs * this.#random(),
        (error: unknown) => (signal.aborted ? 0 : this.#failed(error)),
      );
      await sleep(clock, waitMs, signal).catch(() => {});
    }
  }

  /** Resolves when the gateway ends the stream; throws when the stream fails. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { client, ref, onOpen, onVersion } = this.#options;
    const stream = await client.watchCurrent(ref, signal);
    try {
      onOpen();
      for await (const line of stream.events) {
        const event = readEvent(line);
        if (event.kind === 'error') throw statusError((line as { object: Status }).object);
        if (event.kind === 'unreadable') throw new Error('the stream contains an invalid event');
        if (event.kind !== 'object') continue;
        // The files stay, as those of a kubelet stay when their ConfigMap is deleted.
        if (event.deleted) this.#fail(`${displayName(ref)} does not exist`);
        else {
          this.#failures = 0;
          this.#failing = undefined;
          onVersion(event.object);
        }
      }
    } finally {
      stream.close();
    }
  }

  #failed(error: unknown): number {
    const { log, ref } = this.#options;
    this.#failures += 1;
    const waitMs = backoffMs(this.#failures, backoff, this.#random);
    const askedMs = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
    if (this.#failures === 1)
      log.warn({ config: displayName(ref), err: error }, 'gateway stream failed; retrying');
    this.#fail(`watch of ${displayName(ref)}: ${reasonOf(error)}`);
    return Math.max(waitMs, askedMs);
  }

  #fail(problem: string): void {
    this.#failing = { since: this.#failing?.since ?? this.#options.clock.monotonic(), problem };
    this.#options.onFailure();
  }
}

function statusError(status: Status): ApiError {
  return new ApiError(status.code ?? 500, status);
}

function reasonOf(error: unknown): string {
  if (error instanceof ApiError) return `${error.status} ${error.body.message ?? error.reason}`;
  return error instanceof NetworkError ? error.code : String((error as Error).message);
}
