import type { ConfigBody } from '../../api/config-body.ts';

/**
 * What `kubectl apply` has sent last, from its annotation on a config: `data`, and the plain texts of `stringData`. It
 * holds old values when the config was edited in another way since.
 */
export function lastApplied({ kind, metadata }: ConfigBody): ConfigBody[] {
  const text = metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration'];
  if (text === undefined) return [];
  try {
    const applied = JSON.parse(text) as Pick<ConfigBody, 'data' | 'binaryData'> & {
      stringData?: Record<string, string>;
    };
    const { data = {}, binaryData = {}, stringData = {} } = applied;
    const its = { ...(kind !== undefined && { kind }), metadata: {} };
    return [
      { ...its, data, binaryData },
      { metadata: {}, data: stringData },
    ];
  } catch {
    return [];
  }
}
