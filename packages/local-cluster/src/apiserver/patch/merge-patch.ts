import { clone, getKey, isObject, setKey } from '../object.ts';

/** RFC 7386: objects are merged, null deletes, other values replace. Does not mutate its arguments. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return clone(patch);
  const result = {};
  if (isObject(target))
    for (const key of Object.keys(target))
      if (!Object.hasOwn(patch, key)) setKey(result, key, clone(target[key]));
  for (const key of Object.keys(patch))
    if (patch[key] !== null) setKey(result, key, mergePatch(getKey(target, key), patch[key]));
  return result;
}
