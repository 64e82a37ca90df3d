import { labels } from '../../../../src/api/names.ts';
import { referencesOf } from '../world.ts';
import type { Checker } from './checker.ts';

/**
 * Pods always have their configs: a config exists when a pod, revision or workload starts to reference it, and a
 * version is not deleted while it is referenced. Users may delete the config itself at any time.
 */
export function configsOfPods(): Checker {
  return {
    step({ entry, before, world }) {
      if (entry.kind === 'ConfigMap' || entry.kind === 'Secret') {
        if (!entry.gone || before?.metadata.labels?.[labels.versionOf] === undefined) return [];
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
