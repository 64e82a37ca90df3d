import { referencesOf } from '../world.ts';
import type { Checker } from './checker.ts';

/**
 * Pods are never without a config: whatever a pod, its revision or its workload names is there when it begins to name
 * it, and is not deleted while it does.
 */
export function configsOfPods(): Checker {
  return {
    step({ entry, before, world }) {
      if (entry.kind === 'ConfigMap' || entry.kind === 'Secret') {
        if (!entry.gone) return [];
        return world.naming(entry.key).map((user) => `${entry.key} was deleted, and ${user} names it`);
      }
      if (entry.gone) return [];
      const old = new Set(before === undefined ? [] : referencesOf(before));
      return referencesOf(entry.object)
        .filter((key) => !old.has(key) && !key.endsWith('/kube-root-ca.crt') && !world.has(key))
        .map((key) => `${entry.key} names ${key}, which is not there`);
    },
  };
}
