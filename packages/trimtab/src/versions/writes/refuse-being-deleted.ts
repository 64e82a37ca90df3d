import { configResources } from '@trimtab/kube/resource.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { conflict } from '../refusal.ts';

/** A version that is created under a ConfigRollout that is being deleted would be deleted with it. */
export function refuseBeingDeleted({ kind, name }: ConfigAddress, rollout: ConfigRollout | undefined): void {
  if (rollout?.metadata.deletionTimestamp === undefined) return;
  const { plural } = configResources[kind];
  throw conflict(
    `the ConfigRollout of ${plural} ${JSON.stringify(name)} is being deleted; no version was created, retry when it is gone`,
    { kind: plural, name },
  );
}
