import { labels } from '../../../../src/api/names.ts';
import { referencesOf } from '../world.ts';
import type { Checker } from './checker.ts';

/** Names of version objects end with a hash. */
const versionName = /-[a-z2-7]{10}$/;

/**
 * Pods always have their versions: a version exists when a pod, revision or workload starts to reference it, and is not
 * deleted while it is referenced. Users may delete the config itself at any time.
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
        .filter((key) => !old.has(key) && versionName.test(key) && !world.has(key))
        .map((key) => `${entry.key} names ${key}, which is not there`);
    },
  };
}
