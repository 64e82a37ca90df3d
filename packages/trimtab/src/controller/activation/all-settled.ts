/**
 * Waits for all of them, then throws what the first one that failed has thrown. `Promise.all` would leave the others
 * at work, and their writes would meet those of the next look.
 */
export async function allSettled<T>(writes: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(writes);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
