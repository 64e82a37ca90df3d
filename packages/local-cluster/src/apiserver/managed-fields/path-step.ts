import type { ListShape } from './shape.ts';

/** Returns the step to a field, in the notation of `fieldsV1`. */
export function fieldStep(name: string): string {
  return `f:${name}`;
}

const order = 'fkvi';

/** Orders fields before items, and items with keys before plain values. */
export function compareSteps(a: string, b: string): number {
  const kinds = order.indexOf(a[0] ?? '') - order.indexOf(b[0] ?? '');
  if (kinds !== 0) return kinds;
  return a < b ? -1 : 1;
}

/** An item of a list cannot be identified. The message is Kubernetes' own. */
export class ItemProblem extends Error {
  override readonly name = 'ItemProblem';
}

/** Returns the step to an item of a list whose items are owned individually. Throws ItemProblem. */
export function itemStep(list: ListShape, item: unknown): string {
  if (list.how === 'set') return `v:${json(setItem(item))}`;
  if (item === null) throw new ItemProblem('associative list with keys may not have a null element');
  if (typeof item !== 'object' || Array.isArray(item))
    throw new ItemProblem('associative list with keys may not have non-map elements');
  const found: [string, unknown][] = [];
  for (const key of list.keys) {
    const value = Object.hasOwn(item, key) ? (item as Record<string, unknown>)[key] : keyDefault(list, key);
    if (value !== undefined) found.push([key, value]);
  }
  if (found.length === 0)
    throw new ItemProblem(
      `associative list with keys has an element that omits all key fields [${list.keys.map((key) => JSON.stringify(key)).join(' ')}] (and doesn't have default values for any key fields)`,
    );
  return keyStep(found);
}

function keyDefault(list: ListShape, key: string): unknown {
  return list.of.is === 'map' ? list.of.fields.get(key)?.default : undefined;
}

function setItem(item: unknown): unknown {
  if (item === null)
    throw new ItemProblem("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new ItemProblem('not supported: associative list with lists as elements');
  if (typeof item === 'object')
    throw new ItemProblem("associative list without keys has an element that's a map type");
  return item;
}

function keyStep(keys: [string, unknown][]): string {
  const sorted = keys.sort(([a], [b]) => (a < b ? -1 : 1));
  return `k:{${sorted.map(([key, value]) => `${json(key)}:${json(value)}`).join(',')}}`;
}

/** Encodes JSON as Go does, with HTML characters escaped. */
function json(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Normalises a step for comparison; returns undefined for an unknown type of step. Throws SyntaxError. */
export function readStep(text: string): string | undefined {
  if (text.length < 2 || text[1] !== ':')
    throw new SyntaxError(
      `${JSON.stringify(text)} is not a path element: must have a type prefix such as f:`,
    );
  const rest = text.slice(2);
  switch (text[0]) {
    case 'f':
      return text;
    case 'v':
      return `v:${json(JSON.parse(rest))}`;
    case 'k': {
      const keys: unknown = JSON.parse(rest);
      if (typeof keys !== 'object' || keys === null || Array.isArray(keys))
        throw new SyntaxError(
          `${JSON.stringify(text)} is not a path element: k: must be followed by a JSON object`,
        );
      return keyStep(Object.entries(keys));
    }
    case 'i':
      if (!/^[+-]?\d+$/.test(rest))
        throw new SyntaxError(
          `${JSON.stringify(text)} is not a path element: i: must be followed by an integer`,
        );
      return `i:${Number(rest)}`;
    default:
      return undefined;
  }
}

/** Formats a step for messages: `.data`, `[name="app"]`, `[="a"]`, `[0]`. */
export function stepText(step: string): string {
  const rest = step.slice(2);
  if (step.startsWith('f:')) return `.${rest}`;
  if (step.startsWith('v:')) return `[=${JSON.stringify(JSON.parse(rest))}]`;
  if (step.startsWith('i:')) return `[${rest}]`;
  const keys = Object.entries(JSON.parse(rest) as object);
  return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
}
