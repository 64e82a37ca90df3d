import type { Clock } from '@trimtab/kube/clock.ts';
import { StatusError } from '../answer/status-error.ts';

/** A body that makes no progress for this long is refused. */
const maxSilenceMs = 10_000;
/** A body that is slower on average is refused: 3 MiB take at most about 13 minutes. */
const minBytesPerSecond = 4 * 1024;

interface BodyProgressOptions {
  clock: Clock;
  /** Whether the body waits for its receiver. Such a time does not count. */
  isHeldUp?(): boolean;
  /** Called once, with the refusal. */
  onTooSlow(refusal: StatusError): void;
}

/** Checks that a body keeps coming until `stop` is called. */
export class BodyProgress {
  readonly #options: BodyProgressOptions;
  #startedAt: number;
  #lastAt: number;
  #checkedAt: number;
  #length = 0;
  #cancel: () => void;

  constructor(options: BodyProgressOptions) {
    this.#options = options;
    this.#startedAt = options.clock.monotonic();
    this.#lastAt = this.#startedAt;
    this.#checkedAt = this.#startedAt;
    this.#cancel = options.clock.after(maxSilenceMs, () => this.#check());
  }

  received(bytes: number): void {
    this.#length += bytes;
    this.#lastAt = this.#options.clock.monotonic();
  }

  stop(): void {
    this.#cancel();
  }

  #check(): void {
    const { clock, isHeldUp, onTooSlow } = this.#options;
    const now = clock.monotonic();
    if (isHeldUp?.() === true) {
      this.#startedAt += now - this.#checkedAt;
      this.#lastAt = now;
    }
    this.#checkedAt = now;
    const tookMs = now - this.#startedAt;
    const isSlow = tookMs >= maxSilenceMs && this.#length < (tookMs / 1000) * minBytesPerSecond;
    if (isSlow || now - this.#lastAt >= maxSilenceMs) onTooSlow(tooSlow());
    else this.#cancel = clock.after(maxSilenceMs - (now - this.#lastAt), () => this.#check());
  }
}

function tooSlow(): StatusError {
  return new StatusError(
    408,
    'RequestTimeout',
    `the body of the request arrives too slowly: it must not pause for ${maxSilenceMs / 1000} s, and have ${minBytesPerSecond} bytes per second on average`,
  );
}
