import { apiVersion } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigRollout } from '../../../api/config-rollout.ts';
import { configRollouts } from '../../../api/config-rollout.ts';
import { annotations } from '../../../api/names.ts';
import { formatLedger, type Ledger } from '../../../core/version/ledger.ts';
import { rolloutName } from '../../../core/version/object-names.ts';
import type { ReleaseMode } from '../../../core/workload/opt-in.ts';
import type { ConfigAddress } from '../addressing/config-address.ts';
import { type WriteContext, writeOptions } from './write-context.ts';

/** The rollout for a config that has none, with its initial ledger. */
export function newRollout(
  { kind, namespace, name }: ConfigAddress,
  release: ReleaseMode | undefined,
  ledger: Ledger,
): ConfigRollout {
  const rollout = {
    apiVersion: apiVersion(configRollouts),
    kind: configRollouts.kind,
    metadata: {
      name: rolloutName(kind, name),
      namespace,
      annotations: { [annotations.ledger]: formatLedger(ledger) },
    },
    spec: { config: { kind, name }, ...(release !== undefined && { release }) },
  };
  // The API server sets the defaults of all other fields.
  return rollout as KubeObject as ConfigRollout;
}

/** Sets a placeholder uid for a rollout that exists in a dry run only. */
export function withUid(rollout: ConfigRollout): ConfigRollout {
  return { ...rollout, metadata: { ...rollout.metadata, uid: '00000000-0000-0000-0000-000000000000' } };
}

export function createRollout(
  context: WriteContext,
  rollout: ConfigRollout,
  dryRun = false,
): Promise<ConfigRollout> {
  return context.client.create(configRollouts, rollout, writeOptions(context, dryRun));
}
