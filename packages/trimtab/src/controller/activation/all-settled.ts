/**
 * Waits for all writes, then throws the error of the first one that failed. `Promise.all` would return while other
 * writes are in flight, and they could collide with the writes of the next reconciliation.
 */
export async function allSettled<T>(writes: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(writes);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
