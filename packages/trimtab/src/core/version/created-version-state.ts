import type { ConfigRollout } from '../../api/config-rollout.ts';
import { findCurrentVersion } from '../activation/current-version.ts';
import { isVoid, knownLedger } from './ledger.ts';
import type { VersionMetadata } from './version-metadata.ts';
import { stateOf, type VersionState } from './version-state.ts';

export interface CreatedVersionState {
  state: VersionState;
  /** The version that is current. Versions of an earlier rollout count: the controller adopts them. */
  current: VersionMetadata | undefined;
  /** Whether another version is current, is being rolled out or is requested. */
  isContested: boolean;
}

/**
 * The state of a version that was just created, beside all version objects of its config. It is current only when the
 * controller will find so without an activation: the first version of a config, or the one that was current before.
 */
export function createdVersionState(
  rollout: ConfigRollout,
  existing: readonly VersionMetadata[],
  created: VersionMetadata,
): CreatedVersionState {
  const ledger = knownLedger(rollout);
  const others = existing.filter((each) => each.object !== created.object && !isVoid(ledger, each));
  const own = existing.find(({ object }) => object === created.object) ?? created;
  const current = findCurrentVersion([...others, own], rollout.status);
  const isCurrent = current?.object === created.object;
  const { target } = rollout.status ?? {};
  const requested = rollout.spec.version;
  return {
    state: stateOf(rollout, isCurrent, own),
    current,
    isContested:
      !isCurrent ||
      (target !== undefined && target.object !== created.object) ||
      (requested !== undefined && requested !== created.name),
  };
}
