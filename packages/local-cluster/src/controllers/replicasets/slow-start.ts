export interface SlowStart<T> {
  made: T[];
  /** The first one of the batch that failed. */
  failure?: unknown;
}

/**
 * Makes `count` of something in batches of 1, 2, 4, …, and stops after the first batch in which one fails: what a quota
 * or a webhook refuses once it refuses a thousand times.
 */
export async function slowStart<T>(count: number, make: () => Promise<T>): Promise<SlowStart<T>> {
  const made: T[] = [];
  for (let size = 1, left = count; left > 0; left -= size, size *= 2) {
    size = Math.min(size, left);
    const results = await Promise.allSettled(Array.from({ length: size }, make));
    for (const result of results) if (result.status === 'fulfilled') made.push(result.value);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) return { made, failure: failed.reason };
  }
  return { made };
}
