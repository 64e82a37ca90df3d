import { isObject } from './object.ts';

/** JavaScript puts integer keys first, in numeric order; Go sorts all keys of a map as text. */
const hasIndexKey = /\{"\d+":/;

/** Prints JSON as Go does: in a map, the key `10` comes before `9`. */
export function jsonText(value: unknown, indent = ''): string {
  const text = JSON.stringify(value);
  if (text === undefined || !hasIndexKey.test(text))
    return indent === '' ? text : JSON.stringify(value, undefined, indent);
  return written(value, indent, indent === '' ? '' : '\n');
}

/** `start` is the line break and indentation of the enclosing line; empty for output on one line. */
function written(value: unknown, indent: string, start: string): string {
  const isList = Array.isArray(value);
  if (!isList && !isObject(value)) return JSON.stringify(value);
  const inner = `${start}${indent}`;
  const colon = indent === '' ? ':' : ': ';
  const parts = isList
    ? value.map((each: unknown) => written(each ?? null, indent, inner))
    : keysOf(value).map((key) => `${JSON.stringify(key)}${colon}${written(value[key], indent, inner)}`);
  const [open, close] = isList ? '[]' : '{}';
  if (parts.length === 0) return `${open}${close}`;
  return `${open}${inner}${parts.join(`,${inner}`)}${start}${close}`;
}

function keysOf(value: Record<string, unknown>): string[] {
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return /^\d+$/.test(keys[0] ?? '') ? keys.sort() : keys;
}
