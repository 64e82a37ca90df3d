import { annotations, labels } from '../../api/names.ts';
import type { GrantedKeys } from '../../core/references/granted-keys.ts';
import type { VersionedConfig } from '../../versions/reads/present.ts';

/** What an agent needs besides the content: the version, and the configs that were assigned together with it. */
const shownMarks = [annotations.object, labels.state, labels.assigned];

/**
 * A config as a pod gets it: the keys that the pod's spec names. The kubelet gives containers no metadata of a config,
 * where users may keep what the pod must not see: `last-applied-configuration` holds all keys.
 */
export function presentForPod(config: VersionedConfig, keys: GrantedKeys): VersionedConfig {
  const { metadata, data, binaryData } = config;
  return {
    ...picked(config, ['apiVersion', 'kind']),
    metadata: {
      ...picked(metadata, ['name', 'namespace', 'uid', 'resourceVersion', 'version']),
      annotations: entriesOf(metadata.annotations ?? {}, shownMarks),
    },
    ...picked(config, ['type', 'immutable']),
    ...(data && { data: entriesOf(data, keys) }),
    ...(binaryData && { binaryData: entriesOf(binaryData, keys) }),
  };
}

function picked<T extends object, K extends keyof T>(object: T, fields: readonly K[]): Pick<T, K> {
  const entries = fields.map((field) => [field, object[field]]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Pick<T, K>;
}

function entriesOf(values: Record<string, string>, keys: GrantedKeys): Record<string, string> {
  if (keys === 'all') return values;
  const wanted = new Set(keys);
  return Object.fromEntries(Object.entries(values).filter(([key]) => wanted.has(key)));
}
