import type { PodSpec } from '../../api/pod-template.ts';
import { type ConfigKey, configKey } from './config-key.ts';
import { givenKeys } from './named-keys.ts';
import { findReferences } from './references.ts';

/** The keys of one config that a pod gets: all of them, or these, sorted. */
export type GrantedKeys = 'all' | readonly string[];

/**
 * The configs that a pod references, with the keys that the kubelet gives to any of its containers: none of a volume that
 * no container mounts. Ephemeral containers count. Secrets that only the node uses (imagePullSecrets, storage drivers) are not given to a container.
 */
export function grantedKeys(spec: PodSpec): Map<ConfigKey, GrantedKeys> {
  const pod = { spec };
  const granted = new Map<ConfigKey, GrantedKeys>();
  for (const { kind, name, pointer } of findReferences(pod)) {
    const key = configKey(kind, name);
    granted.set(key, unionOfKeys([granted.get(key) ?? [], givenKeys(pod, pointer) ?? 'all']));
  }
  return granted;
}

export function unionOfKeys(parts: readonly GrantedKeys[]): GrantedKeys {
  const keys = new Set<string>();
  for (const part of parts) {
    if (part === 'all') return 'all';
    for (const key of part) keys.add(key);
  }
  return [...keys].sort();
}
