import type { ConfigRollout } from '../../../../src/api/config-rollout.ts';
import { labels } from '../../../../src/api/names.ts';
import { isDeletedName, knownLedger } from '../../../../src/core/version/ledger.ts';
import { versionOf } from '../world.ts';
import type { Checker } from './checker.ts';

/** The ledger records the name of a version before its object is deleted, unless its rollout goes, too. */
export function deletionsRecorded(): Checker {
  return {
    step({ entry, before, world }) {
      const version = entry.gone && before !== undefined ? versionOf(entry.key, before) : undefined;
      if (version === undefined) return [];
      const rollout = world.objects.get(`ConfigRollout/${version.rollout}`) as ConfigRollout | undefined;
      if (rollout === undefined || rollout.metadata.deletionTimestamp !== undefined) return [];
      if (rollout.metadata.uid !== version.object.metadata.labels?.[labels.versionOf]) return [];
      return isDeletedName(knownLedger(rollout), version.name)
        ? []
        : [`${entry.key} was deleted, and the ledger does not record ${version.name}`];
    },
  };
}
