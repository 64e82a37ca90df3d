import { apiVersion } from '@trimtab/kube/resource.ts';
import { isAlreadyExists } from '@trimtab/kube/transport/errors.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { emptyLedger, formatLedger } from '../../core/version/ledger.ts';
import { rolloutName } from '../../core/version/object-names.ts';
import type { Parsed, ReleaseMode } from '../../core/workload/opt-in.ts';
import { type ControllerContext, fieldManager } from '../context.ts';

interface NewRollout {
  namespace: string;
  kind: ConfigKind;
  name: string;
  /**
   * Release mode from the config's annotation. It is copied once; afterwards `spec.release` of the rollout decides.
   */
  release: Parsed<ReleaseMode | undefined>;
}

/** Creates the rollout of a config. Returns false when it exists already. */
export async function ensureRollout(
  { client }: ControllerContext,
  { namespace, kind, name, release }: NewRollout,
  workloads: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const mode = 'value' in release ? release.value : undefined;
  const rollout = {
    apiVersion: apiVersion(configRollouts),
    kind: configRollouts.kind,
    metadata: {
      name: rolloutName(kind, name),
      namespace,
      annotations: {
        [annotations.ledger]: formatLedger(emptyLedger),
        [annotations.workloads]: JSON.stringify(workloads),
      },
    },
    spec: { config: { kind, name }, ...(mode !== undefined && { release: mode }) },
  };
  try {
    await client.create(configRollouts, rollout, { fieldManager, signal });
    return true;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return false;
  }
}
