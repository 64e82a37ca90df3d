import { isObject, setKey } from '../object.ts';
import { emptySet, type FieldSet, isEmpty } from './field-set.ts';
import { compareSteps, readStep } from './path-step.ts';

/** A set as `managedFields` shows it: `{"f:data":{".":{},"f:a":{}}}`. */
export function encodeFields({ own, below }: FieldSet): Record<string, unknown> {
  const encoded = {};
  if (below.size === 0) return encoded;
  if (own) setKey(encoded, '.', {});
  for (const step of [...below.keys()].sort(compareSteps))
    setKey(encoded, step, encodeFields(below.get(step) as FieldSet));
  return encoded;
}

/** Throws SyntaxError for what is no set. */
export function decodeFields(encoded: unknown): FieldSet {
  if (encoded === undefined || encoded === null) return emptySet();
  const set = decodeNode(encoded);
  // An empty object is a field that is owned, but for the whole it means that nothing is.
  return { ...set, own: false };
}

function decodeNode(encoded: unknown): FieldSet {
  if (!isObject(encoded)) throw new SyntaxError('the fields of a manager are objects');
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
