import type { ManagedFields } from './managed-fields.ts';

/**
 * Returns the program that last wrote one of these fields, such as `kubectl-edit`. A path is `['spec', 'version']`, or
 * `['data', '*']` for the entries of a map. An object does not record the user who wrote it; its field manager is the
 * closest hint.
 */
export function lastManagerOf(
  entries: readonly ManagedFields[] | undefined,
  ...paths: (readonly string[])[]
): string | undefined {
  const owners = (entries ?? []).filter(
    ({ fieldsV1, subresource }) =>
      (subresource === undefined || subresource === '') && paths.some((path) => owns(fieldsV1, path)),
  );
  // An entry keeps its position in the list when it changes, so only its time shows which entry is the newest.
  const last = owners.reduce<ManagedFields | undefined>(
    (newest, each) => (newest === undefined || (each.time ?? '') >= (newest.time ?? '') ? each : newest),
    undefined,
  );
  return last?.manager || undefined;
}

function owns(fields: unknown, path: readonly string[]): boolean {
  let inner = fields;
  for (const part of path) {
    // The manager that created a map still owns the map itself after other managers have replaced all entries.
    if (part === '*') return Object.keys(inner ?? {}).some((each) => each.startsWith('f:'));
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, `f:${part}`)) return false;
    inner = (inner as Record<string, unknown>)[`f:${part}`];
  }
  return true;
}
