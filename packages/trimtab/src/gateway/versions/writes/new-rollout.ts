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

/** The rollout of a config that had none, with the first name reserved in its ledger already. */
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
  // What is not said here, the API server fills in.
  return rollout as KubeObject as ConfigRollout;
}

/** Stands for the uid of a rollout that is only rehearsed. */
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
