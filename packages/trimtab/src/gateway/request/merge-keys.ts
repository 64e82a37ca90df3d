import { badRequest } from '../../versions/refusal.ts';
import { BeyondLimits } from './parse-limits.ts';

/**
 * Turns the maps of a YAML document into objects, and resolves their merge keys (`<<: *defaults`) as API servers do: in
 * the order of the keys, so that a later one wins, and from a list of maps the first one. A map with many aliases is
 * visited once.
 */
export function resolveMergeKeys(value: unknown, known = new Map<object, unknown>()): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (known.has(value)) {
    const resolved = known.get(value);
    if (resolved === undefined)
      throw new BeyondLimits('the YAML aliases in the body expand to themselves; write the values out');
    return resolved;
  }
  known.set(value, undefined);
  const resolved = Array.isArray(value)
    ? value.map((each) => resolveMergeKeys(each, known))
    : Object.fromEntries(value instanceof Map ? entriesOf(value, known) : Object.entries(value));
  known.set(value, resolved);
  return resolved;
}

function entriesOf(map: ReadonlyMap<unknown, unknown>, known: Map<object, unknown>): Map<string, unknown> {
  const entries = new Map<string, unknown>();
  for (const [key, value] of map)
    if (key === '<<')
      for (const source of [value].flat().reverse()) {
        if (!(source instanceof Map))
          throw badRequest('the YAML merge key "<<" of the body needs a map, or a list of maps');
        for (const [own, each] of Object.entries(resolveMergeKeys(source, known) as object))
          entries.set(own, each);
      }
    else entries.set(String(key), resolveMergeKeys(value, known));
  return entries;
}
