import type { StoredMeta } from '../object.ts';

/** Removes duplicate owner references and returns Kubernetes' warning about them. Mutates the metadata. */
export function dropDuplicateOwners(meta: StoredMeta): string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  const kept = (meta.ownerReferences ?? []).filter(({ uid }) => {
    if (seen.has(uid)) twice.add(uid);
    return seen.has(uid) ? false : seen.add(uid);
  });
  if (twice.size === 0) return [];
  meta.ownerReferences = kept;
  return [
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...twice].join(', ')}`,
  ];
}
