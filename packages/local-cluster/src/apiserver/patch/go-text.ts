import { isObject } from '../object.ts';

/** Prints a value as Go's %v does: `map[a:1 b:[x y]]`. Error messages of Kubernetes contain such texts. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isObject(value)) return String(value);
  const entries = Object.keys(value).sort();
  return `map[${entries.map((key) => `${key}:${goText(value[key])}`).join(' ')}]`;
}
