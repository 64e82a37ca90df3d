/** Returns a generator of numbers in [0, 1) that depend only on the seed (mulberry32). */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * The random number for the `count`-th occurrence of a kind. It does not depend on occurrences of other kinds in
 * between: the order of concurrent requests does not change their faults.
 */
export function drawFor(seed: number, kind: string, count: number): number {
  let hash = 0x811c9dc5;
  for (const character of `${seed}/${kind}/${count}`)
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return mulberry32(hash)();
}
