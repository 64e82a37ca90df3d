import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { ledgerOf } from '../../core/version/ledger.ts';
import type { VersionHead } from '../../core/version/version-head.ts';
import { planVersion, type VersionPlan } from '../../core/version/version-plan.ts';
import type { Original } from '../picture/configs.ts';

/** What becomes of the live content of a config: one answer for the reconciler that makes versions, and for those who wait for it. */
export function planVersionOf(
  rollout: ConfigRollout,
  original: Original,
  versions: readonly VersionHead[],
): VersionPlan {
  return planVersion({
    release: rollout.spec.release,
    liveHash: original.hash,
    type: original.type,
    chosenName: original.annotations[annotations.version],
    versions,
    ledger: ledgerOf(rollout, versions).ledger,
  });
}
