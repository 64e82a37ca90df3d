import { isObject, setKey } from '../object.ts';
import { emptySet, type FieldSet, isEmpty } from './field-set.ts';
import { compareSteps, readStep } from './path-step.ts';

/** Encodes a set as in `managedFields`: `{"f:data":{".":{},"f:a":{}}}`. */
export function encodeFields({ own, below }: FieldSet): Record<string, unknown> {
  const encoded = {};
  if (below.size === 0) return encoded;
  if (own) setKey(encoded, '.', {});
  for (const step of [...below.keys()].sort(compareSteps))
    setKey(encoded, step, encodeFields(below.get(step) as FieldSet));
  return encoded;
}

/** Decodes a set. Throws SyntaxError when the value is not a set. */
export function decodeFields(encoded: unknown): FieldSet {
  if (encoded === undefined || encoded === null) return emptySet();
  const set = decodeNode(encoded);
  // An empty object marks an owned field, except at the root, where it is the empty set.
  return { ...set, own: false };
}

function decodeNode(encoded: unknown): FieldSet {
  if (!isObject(encoded)) throw new SyntaxError('fieldsV1 must be an object of nested objects');
  const node = emptySet();
  const keys = Object.keys(encoded);
  for (const key of keys) {
    if (key === '.') node.own = true;
    else {
      const step = readStep(key);
      if (step === undefined) continue;
      const below = decodeNode(encoded[key]);
      if (!isEmpty(below)) node.below.set(step, below);
    }
  }
  if (keys.length === 0) node.own = true;
  return node;
}
