import type { ConfigBody } from '../../api/config-body.ts';

/**
 * What `kubectl apply` has sent last, from its annotation on a config: `data`, and the plain texts of `stringData`. It
 * holds old values when the config was edited in another way since. Anyone may write the annotation, so all but texts
 * is skipped.
 */
export function lastApplied({ kind, metadata }: ConfigBody): ConfigBody[] {
  const text = metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration'];
  if (text === undefined) return [];
  try {
    const { data, binaryData, stringData } = JSON.parse(text);
    const its = { ...(kind !== undefined && { kind }), metadata: {} };
    return [
      { ...its, data: textsOf(data), binaryData: textsOf(binaryData) },
      { metadata: {}, data: textsOf(stringData) },
    ];
  } catch {
    return [];
  }
}

function textsOf(map: unknown): Record<string, string> {
  if (typeof map !== 'object' || map === null || Array.isArray(map)) return {};
  return Object.fromEntries(
    Object.entries(map).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
