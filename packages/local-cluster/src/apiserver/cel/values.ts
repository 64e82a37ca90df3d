/**
 * Converts a JSON value for CEL. Integers become ints, as in Kubernetes, and undefined fields are omitted. Objects are
 * copied without a prototype, as a key may be named `constructor`.
 */
export function celValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celValue);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, each] of Object.entries(value)) if (each !== undefined) copy[key] = celValue(each);
  return copy;
}
