import { backoffMs } from '@trimtab/kube/backoff.ts';
import { type Clock, sleep } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import { type ConfigRef, displayName } from '../source/config.ts';
import type { Acknowledgement, GatewayClient } from '../source/gateway-client.ts';
import type { VersionResult } from './version-results.ts';

interface AcknowledgementsOptions {
  client: Pick<GatewayClient, 'acknowledge'>;
  /** The configs of the pod. */
  refs: readonly ConfigRef[];
  clock: Clock;
  log: Logger;
  random?: () => number;
  signal: AbortSignal;
}

interface Reported {
  result: VersionResult | undefined;
  /** Grows with each report; a loop that repeats an older report ends. */
  generation: number;
}

const backoff = { initialMs: 250, maxMs: 30_000 };
/** A gateway that does not delay its response is not sent a stream of requests. */
const repeatMs = 200;

/**
 * Reports to the gateway which versions the pod runs or refuses. A report is repeated until the gateway has recorded it,
 * or a newer one of the same config replaces it.
 */
export class Acknowledgements {
  readonly #options: AcknowledgementsOptions;
  readonly #reported: readonly Reported[];
  readonly #random: () => number;
  #sequence = 0;

  constructor(options: AcknowledgementsOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#reported = options.refs.map(() => ({ result: undefined, generation: 0 }));
  }

  /** Reports the results, in the order of the configs. A result that was reported already is not reported again. */
  report(results: readonly (VersionResult | undefined)[]): void {
    results.forEach((result, index) => {
      const reported = this.#reported[index];
      if (result === undefined || reported === undefined || isSame(result, reported.result)) return;
      reported.result = result;
      this.#send(index);
    });
  }

  /** Reports the last result again: a gateway that was restarted has forgotten what it had not recorded. */
  repeat(index: number): void {
    if (this.#reported[index]?.result !== undefined) this.#send(index);
  }

  #send(index: number): void {
    const reported = this.#reported[index];
    const ref = this.#options.refs[index];
    if (reported?.result === undefined || ref === undefined) return;
    reported.generation += 1;
    this.#sequence = Math.max(this.#sequence + 1, this.#options.clock.now());
    const body = { ...reported.result, sequence: this.#sequence };
    void this.#untilRecorded(ref, reported, reported.generation, body);
  }

  async #untilRecorded(
    ref: ConfigRef,
    reported: Reported,
    generation: number,
    body: Acknowledgement,
  ): Promise<void> {
    const { client, clock, signal } = this.#options;
    let failures = 0;
    while (!signal.aborted && reported.generation === generation) {
      const startedAt = clock.monotonic();
      let waitMs: number;
      try {
        if (await client.acknowledge(ref, body, signal)) return;
        waitMs = repeatMs - (clock.monotonic() - startedAt);
      } catch (error) {
        // The gateway assigns another version by now, which the stream brings.
        if (error instanceof ApiError && error.status === 409) return;
        failures += 1;
        waitMs = this.#failed(ref, error, failures);
      }
      await sleep(clock, Math.max(0, waitMs), signal).catch(() => {});
    }
  }

  #failed(ref: ConfigRef, error: unknown, failures: number): number {
    const { log, signal } = this.#options;
    if (failures === 1 && !signal.aborted)
      log.warn({ config: displayName(ref), err: error }, 'acknowledgement failed; retrying');
    const askedMs = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
    return Math.max(askedMs, backoffMs(failures, backoff, this.#random));
  }
}

function isSame(one: VersionResult, other: VersionResult | undefined): boolean {
  return (
    one.object === other?.object &&
    one.version === other.version &&
    one.result === other.result &&
    one.reason === other.reason
  );
}
