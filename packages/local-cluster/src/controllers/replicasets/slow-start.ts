export interface SlowStart<T> {
  made: T[];
  /** The first error of the failed batch. */
  failure?: unknown;
}

/**
 * Calls `make` `count` times in batches of 1, 2, 4, …, and stops after the first batch with a failure. A quota or a
 * webhook that rejects one request would reject a thousand more.
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
