import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { ledgerOf } from '../../core/version/ledger.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import { planVersion, type VersionPlan } from '../../core/version/version-plan.ts';
import type { Original } from '../cache/configs.ts';

/** Plans a version for the live content. Shared by the version reconciler and the code that waits for its versions. */
export function planVersionOf(
  rollout: ConfigRollout,
  original: Original,
  versions: readonly VersionMetadata[],
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
