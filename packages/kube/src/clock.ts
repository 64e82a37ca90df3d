/**
 * Source of time. Code that waits or reads the time takes a Clock as a parameter, so a test can advance hours in a
 * millisecond (see fakes/manual-clock.ts in the package test-bed).
 */
export interface Clock {
  /** Wall time in milliseconds since the epoch; may jump. For timestamps that people and other machines read. */
  now(): number;
  /** Milliseconds that never go back. For durations and deadlines. */
  monotonic(): number;
  /** Calls `callback` once after `ms`. The returned function cancels the timer. */
  after(ms: number, callback: () => void): () => void;
}

/** Node fires a timer with a longer delay immediately. */
const longestTimerMs = 0x7fffffff;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    let timer: NodeJS.Timeout;
    const wait = (left: number) => {
      const rest = left - longestTimerMs;
      timer = rest > 0 ? setTimeout(() => wait(rest), longestTimerMs) : setTimeout(callback, left);
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`, or rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
