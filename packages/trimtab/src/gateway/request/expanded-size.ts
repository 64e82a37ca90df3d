/** The size of a value that is written out as JSON. */
export interface ExpandedSize {
  /** About the characters of its JSON; Infinity for a value that contains itself. */
  length: number;
  /** Levels of objects and lists. */
  depth: number;
}

/** Of quotes and separators of a key or value. */
const punctuation = 3;

/**
 * The size of a value in which an object may occur many times. Each object is visited once, so that the time does not
 * grow with the size.
 */
export function expandedSize(value: unknown, known = new Map<object, ExpandedSize>()): ExpandedSize {
  if (typeof value !== 'object' || value === null) return { length: lengthOf(value), depth: 0 };
  const before = known.get(value);
  if (before !== undefined) return before;
  known.set(value, { length: Number.POSITIVE_INFINITY, depth: 0 });
  const size = { length: punctuation, depth: 1 };
  for (const [key, each] of Object.entries(value)) {
    const { length, depth } = expandedSize(each, known);
    size.length += length + (Array.isArray(value) ? 0 : lengthOf(key));
    size.depth = Math.max(size.depth, depth + 1);
  }
  known.set(value, size);
  return size;
}

function lengthOf(scalar: unknown): number {
  return String(scalar).length + punctuation;
}
