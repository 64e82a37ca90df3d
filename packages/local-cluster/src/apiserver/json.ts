import { isObject } from './object.ts';

/** JavaScript moves keys that look like an index to the front, in the order of numbers. */
const hasIndexKey = /\{"\d+":/;

/** JSON as Go prints it: maps with the keys `10` and `9` have them in the order of texts, as all others. */
export function jsonText(value: unknown, indent = ''): string {
  const text = JSON.stringify(value);
  if (text === undefined || !hasIndexKey.test(text))
    return indent === '' ? text : JSON.stringify(value, undefined, indent);
  return written(value, indent, indent === '' ? '' : '\n');
}

/** `start` is what a line begins with, none for one line. */
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
