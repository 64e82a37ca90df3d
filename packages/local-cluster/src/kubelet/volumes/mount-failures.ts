/** Kubelet retries a failed volume after 500 ms, doubles the delay each time, and records an Event per attempt. */
const firstDelayMs = 500;
const longestDelayMs = 122_000;

interface Failure {
  message: string;
  delayMs: number;
  nextAt: number;
}

/** Decides when a failing volume is due another Event: at once for a new failure, then with increasing delays. */
export class MountFailures {
  readonly #failures = new Map<string, Failure>();

  /** Returns the message of the Event to record now, or undefined when none is due. */
  failed(volume: string, problem: string, now: number): string | undefined {
    const message = `MountVolume.SetUp failed for volume ${JSON.stringify(volume)} : ${problem}`;
    const known = this.#failures.get(volume);
    if (known?.message === message && now < known.nextAt) return undefined;
    const delayMs = known?.message === message ? Math.min(known.delayMs * 2, longestDelayMs) : firstDelayMs;
    this.#failures.set(volume, { message, delayMs, nextAt: now + delayMs });
    return message;
  }

  succeeded(volume: string): void {
    this.#failures.delete(volume);
  }
}
