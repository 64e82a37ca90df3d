import { getKey, isObject, setKey } from '../object.ts';

type Step =
  | { key: string }
  | { index: number }
  | { each: true }
  | { key: string; equals: string; field: string };

/**
 * Parses the simple JSONPaths of printer columns, scales and selectable fields: `.spec.a['b.c'][0]`, and a filter such
 * as `.status.conditions[?(@.type=="Ready")].status`. Returns undefined when the text is not such a path.
 */
export function parseJsonPath(text: string): Step[] | undefined {
  const steps: Step[] = [];
  let rest = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1) : text;
  if (rest.startsWith('$')) rest = rest.slice(1);
  while (rest !== '') {
    const match = stepPattern.exec(rest);
    if (match === null) return undefined;
    const { name, quoted, index, field, equals } = match.groups ?? {};
    if (field !== undefined) steps.push({ key: '', field, equals: equals ?? '' });
    else if (index !== undefined) steps.push({ index: Number(index) });
    else if (match[0] === '[*]') steps.push({ each: true });
    else steps.push({ key: (name ?? quoted ?? '').replaceAll(/\\(.)/g, '$1') });
    rest = rest.slice(match[0].length);
  }
  return steps;
}

const stepPattern =
  /^(?:\.(?<name>(?:\\.|[^.[\]\\])+)|\[['"](?<quoted>[^'"]+)['"]\]|\[(?<index>-?\d+)\]|\[\*\]|\[\?\(@\.(?<field>[^=\s]+)\s*==\s*["'](?<equals>[^"']*)["']\)\])/;

/** Returns all values at a path in an object. */
export function findAll(object: unknown, steps: readonly Step[]): unknown[] {
  let found = [object];
  for (const step of steps)
    found = found.flatMap((each) => taken(each, step)).filter((each) => each !== undefined);
  return found;
}

function taken(value: unknown, step: Step): unknown[] {
  if ('field' in step)
    return Array.isArray(value)
      ? value.filter((each) => String(getKey(each, step.field)) === step.equals)
      : [];
  if ('each' in step) return Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  if ('index' in step) return Array.isArray(value) ? [value.at(step.index)] : [];
  return [getKey(value, step.key)];
}

/** Sets a value at a path of field names; creates missing objects on the path. */
export function setAt(object: object, steps: readonly Step[], value: unknown): void {
  const keys = steps.flatMap((step) => ('key' in step ? [step.key] : []));
  const last = keys.pop();
  let at: object = object;
  for (const key of keys) {
    const next = getKey(at, key);
    if (isObject(next)) at = next;
    else {
      const made = {};
      setKey(at, key, made);
      at = made;
    }
  }
  if (last !== undefined) setKey(at, last, value);
}
