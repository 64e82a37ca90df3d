/** Kubelet tries a volume again after half a second, then twice as long each time, and tells of each try. */
const firstDelayMs = 500;
const longestDelayMs = 122_000;

interface Failure {
  message: string;
  delayMs: number;
  nextAt: number;
}

/** Decides when a failing volume is worth another Event: at once when it is new, then ever less often. */
export class MountFailures {
  readonly #failures = new Map<string, Failure>();

  /** The message to tell now, if any. */
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
