import type { WriteOptions } from '@trimtab/kube/client.ts';
import { apiVersion } from '@trimtab/kube/resource.ts';
import { isAlreadyExists } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigRollout } from '../api/config-rollout.ts';
import { configRollouts } from '../api/config-rollout.ts';
import { annotations } from '../api/names.ts';
import type { ConfigAddress } from '../core/references/config-address.ts';
import { formatLedger, type LedgerVersion, rebuildLedger } from '../core/version/ledger.ts';
import { rolloutName } from '../core/version/object-names.ts';
import type { ReleaseMode } from '../core/workload/opt-in.ts';
import { type VersionWriter, writing } from './version-writer.ts';

interface Beginning {
  /** From the config's annotation. Afterwards `spec.release` of the rollout decides. */
  release: ReleaseMode | undefined;
  /** All versions of the config that exist, whatever rollout created them. */
  existing: readonly LedgerVersion[];
  /** The workloads that opted in. */
  workloads?: readonly string[];
}

/** The rollout of a config that has none, with its ledger. */
export function newRollout(
  { kind, namespace, name }: ConfigAddress,
  { release, existing, workloads }: Beginning,
): ConfigRollout {
  const rollout = {
    apiVersion: apiVersion(configRollouts),
    kind: configRollouts.kind,
    metadata: {
      name: rolloutName(kind, name),
      namespace,
      annotations: {
        [annotations.ledger]: formatLedger(rebuildLedger(existing)),
        ...(workloads !== undefined && { [annotations.workloads]: JSON.stringify(workloads) }),
      },
    },
    spec: { config: { kind, name }, ...(release !== undefined && { release }) },
  };
  // The API server sets the defaults of all other fields.
  return rollout as KubeObject as ConfigRollout;
}

/** Creates a rollout. Returns undefined when it exists already. */
export async function createRollout(
  writer: VersionWriter,
  rollout: ConfigRollout,
  options: Pick<WriteOptions, 'dryRun'> = {},
): Promise<ConfigRollout | undefined> {
  try {
    return await writer.client.create(configRollouts, rollout, { ...writing(writer), ...options });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return undefined;
  }
}
