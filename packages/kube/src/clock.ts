/**
 * Time as a parameter. Whatever waits or looks at the clock takes one of these, so that a test can drive
 * hours of it in a millisecond (see test/support/manual-clock.ts).
 */
export interface Clock {
  /** Wall time in milliseconds since the epoch; may jump. For what people and other machines read. */
  now(): number;
  /** Milliseconds that never go back. For how long something took or may take. */
  monotonic(): number;
  /** Calls back once after `ms`; the answer cancels it. */
  after(ms: number, callback: () => void): () => void;
}

/** Node fires a timer that is set for longer at once. */
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
