/**
 * A JSON value as CEL sees it: whole numbers are ints, since Kubernetes' objects are read so; undefined fields are
 * not there at all. Objects are copied without a prototype: a key may be called `constructor`.
 */
export function celValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celValue);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, each] of Object.entries(value)) if (each !== undefined) copy[key] = celValue(each);
  return copy;
}
