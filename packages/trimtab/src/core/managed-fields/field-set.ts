/** Fields of an object as `fieldsV1` holds them: `f:NAME` for a field, `k:{"name":"c"}` for an item of a list, nested. */
export type FieldSet = Readonly<Record<string, unknown>>;

/** One step of a path: a field, or the item of a list with this name. */
export type FieldStep = { field: string } | { item: string };

export type FieldPath = readonly FieldStep[];

/** The key of a node that is owned itself, in addition to fields below it. */
const self = '.';

export function hasField(fields: FieldSet | undefined, path: FieldPath): boolean {
  let node: FieldSet | undefined = fields;
  for (const step of path) {
    const key: string | undefined = node && keyOf(node, step);
    if (node === undefined || key === undefined) return false;
    node = childOf(node, key);
  }
  return node !== undefined && isOwned(node);
}

/** Returns the set with the field added. Sets are not changed. */
export function withField(fields: FieldSet, [step, ...rest]: FieldPath): FieldSet {
  if (step === undefined) return isOwned(fields) ? fields : { [self]: {}, ...fields };
  const key = keyOf(fields, step) ?? newKey(step);
  const child = childOf(fields, key);
  // A leaf is owned itself, and stays so when it gets children.
  const below: FieldSet =
    child === undefined ? {} : rest.length > 0 && isLeaf(child) ? { [self]: {} } : child;
  return { ...fields, [key]: withField(below, rest) };
}

/** Returns the set without the field, or undefined when nothing is left of it. */
export function withoutField(fields: FieldSet, [step, ...rest]: FieldPath): FieldSet | undefined {
  if (step === undefined) {
    const { [self]: _, ...below } = fields;
    return isLeaf(below) ? undefined : below;
  }
  const key = keyOf(fields, step);
  const child = key === undefined ? undefined : childOf(fields, key);
  if (key === undefined || child === undefined) return fields;
  const left = withoutField(child, rest);
  if (left !== undefined) return { ...fields, [key]: left };
  const { [key]: _, ...others } = fields;
  // A node without children would be a leaf, and so a field that is owned.
  return isLeaf(others) ? undefined : others;
}

function isOwned(node: FieldSet): boolean {
  return isLeaf(node) || self in node;
}

function isLeaf(node: FieldSet): boolean {
  return Object.keys(node).length === 0;
}

function childOf(node: FieldSet, key: string): FieldSet | undefined {
  const child = node[key];
  return typeof child === 'object' && child !== null ? (child as FieldSet) : undefined;
}

function keyOf(node: FieldSet, step: FieldStep): string | undefined {
  if ('field' in step) return Object.hasOwn(node, `f:${step.field}`) ? `f:${step.field}` : undefined;
  return Object.keys(node).find((key) => nameOfItem(key) === step.item);
}

/** Items are compared by their name, because JSON can be written in several ways. */
function nameOfItem(key: string): unknown {
  if (!key.startsWith('k:')) return undefined;
  try {
    return (JSON.parse(key.slice(2)) as { name?: unknown } | null)?.name;
  } catch {
    return undefined;
  }
}

function newKey(step: FieldStep): string {
  return 'field' in step ? `f:${step.field}` : `k:${JSON.stringify({ name: step.item })}`;
}
