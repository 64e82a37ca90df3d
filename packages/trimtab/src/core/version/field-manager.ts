/** Who wrote which fields of an object, as the API server keeps it in `metadata.managedFields`. */
export interface ManagedFields {
  manager?: string;
  time?: string;
  subresource?: string;
  /** `f:NAME` for each field, one within the other. */
  fieldsV1?: Record<string, unknown>;
}

/**
 * The program that wrote one of these fields last, such as `kubectl-edit`. Fields are paths: `spec.version`, or
 * `data.*` for what is in a map. It is the nearest that an object tells of its author, and names no person.
 */
export function lastManagerOf(
  entries: readonly ManagedFields[] | undefined,
  ...paths: string[]
): string | undefined {
  const owners = (entries ?? []).filter(
    ({ fieldsV1, subresource }) =>
      (subresource === undefined || subresource === '') && paths.some((path) => owns(fieldsV1, path)),
  );
  // An entry keeps its place in the list: only its time says which was last.
  const last = owners.reduce<ManagedFields | undefined>(
    (newest, each) => (newest === undefined || (each.time ?? '') >= (newest.time ?? '') ? each : newest),
    undefined,
  );
  return last?.manager || undefined;
}

function owns(fields: unknown, path: string): boolean {
  let inner = fields;
  for (const part of path.split('.')) {
    // Who made a map goes on to own it, though all of its entries may be somebody else's by now.
    if (part === '*') return Object.keys(inner ?? {}).some((each) => each.startsWith('f:'));
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, `f:${part}`)) return false;
    inner = (inner as Record<string, unknown>)[`f:${part}`];
  }
  return true;
}
