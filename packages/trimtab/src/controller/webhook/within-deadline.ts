import { type Clock, sleep } from '@trimtab/kube/clock.ts';

/** Returns the result of `decide`, or undefined when the time is over. The signal tells `decide` to stop. */
export async function withinDeadline<T>(
  clock: Clock,
  timeoutMs: number,
  decide: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const deadline = new AbortController();
  const finished = new AbortController();
  const late = sleep(clock, timeoutMs, finished.signal).then(
    () => deadline.abort(),
    () => {},
  );
  try {
    return await Promise.race([decide(deadline.signal), late.then(() => undefined)]);
  } finally {
    finished.abort();
  }
}
