import type { ConfigBody } from '../../../api/config-body.ts';
import type { ConfigKind } from '../../../core/references/references.ts';
import { type Fields, isFields } from './named-version.ts';

const maps: Record<ConfigKind, readonly string[]> = {
  ConfigMap: ['data', 'binaryData'],
  Secret: ['data', 'stringData'],
};

/**
 * The config that a merge patch or a strategic merge patch makes of the live one, with only its content and the metadata
 * that the patch names. The API server cannot apply the patch itself, because it refuses edits of a locked config.
 */
export function patchedConfig(kind: ConfigKind, live: ConfigBody, patch: Fields): Fields {
  const now: Fields = { ...live };
  const fields = Object.entries(patch).filter(([key]) => !isDirective(key) && !maps[kind].includes(key));
  const patched = maps[kind].map((field) => [field, patchedMap(now[field], patch[field])]);
  return {
    ...(live.type !== undefined && { type: live.type }),
    ...Object.fromEntries(
      [...fields, ...patched].filter(([, value]) => value !== undefined && value !== null),
    ),
  };
}

function patchedMap(live: unknown, patch: unknown): unknown {
  if (patch === undefined) return live;
  // The check of the fields refuses what is no map.
  if (!isFields(patch)) return patch;
  const { $patch: directive, $retainKeys: retained } = patch;
  if (directive === 'delete') return null;
  const before = isFields(live) && directive !== 'replace' ? Object.entries(live) : [];
  const kept = Array.isArray(retained) ? before.filter(([key]) => retained.includes(key)) : before;
  const after = new Map(kept);
  for (const [key, value] of Object.entries(patch).filter(([key]) => !isDirective(key)))
    if (value === null) after.delete(key);
    else after.set(key, value);
  return Object.fromEntries(after);
}

/** `$patch`, `$retainKeys`, `$setElementOrder/…`: keys of a config cannot contain `$`. */
function isDirective(key: string): boolean {
  return key.startsWith('$');
}
