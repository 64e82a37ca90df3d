import { randomBytes } from 'node:crypto';
import { isConflict } from '@trimtab/kube/transport/errors.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { planRequest, type Superseded } from '../../core/activation/version-request.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { rolloutName } from '../../core/version/object-names.ts';
import { readRollout } from '../../versions/read-config.ts';
import { conflict } from '../answer/status-error.ts';
import type { Person } from '../request/gateway-request.ts';
import { plurals } from '../versions/addressing/config-address.ts';
import { missing } from './read-current.ts';

export interface VersionRequest {
  rollout: ConfigRollout;
  /** The id of the request; undefined when nothing had to be written. */
  requestId: string | undefined;
  /** The version is already current. */
  settled: boolean;
  supersedes: Superseded | undefined;
}

/** The ledger and the status change often, so each attempt uses a fresh read of the ConfigRollout. */
const maxTries = 10;

/**
 * Writes the requested version to the ConfigRollout with the caller's rights. The write requires the resourceVersion
 * that was read: of two concurrent callers, the second reads the first request and is told that it supersedes it.
 */
export async function requestVersion(
  { client, username }: Person,
  address: ConfigAddress,
  first: ConfigRollout,
  version: string,
  signal: AbortSignal,
): Promise<VersionRequest> {
  const { kind, namespace, name } = address;
  let rollout = first;
  for (let tries = 0; tries < maxTries; tries++) {
    const plan = planRequest(rollout, version);
    if (!plan.write) return { rollout, requestId: undefined, settled: true, supersedes: undefined };
    const requestId = randomBytes(8).toString('hex');
    const who = await username();
    const body = {
      metadata: {
        resourceVersion: rollout.metadata.resourceVersion,
        annotations: {
          [annotations.requestId]: requestId,
          // The webhook writes the same value. Without the webhook, the admission policy still verifies it.
          [annotations.requestedBy]: who === '' ? null : who,
          [annotations.requestedVersion]: version,
        },
      },
      spec: { version },
    };
    const where = { namespace, name: rolloutName(kind, name) };
    try {
      const patch = { type: 'merge' as const, body };
      const options = { fieldManager: 'trimtab-gateway', signal };
      const written = await client.patch<ConfigRollout>(configRollouts, where, patch, options);
      return { rollout: written, requestId, settled: plan.settled, supersedes: plan.supersedes };
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    const fresh = await readRollout(client, address, signal);
    if (fresh === undefined) throw missing(address);
    rollout = fresh;
  }
  throw conflict(
    `${plurals[kind]} "${name}" was modified concurrently; nothing was activated, retry the request`,
    {
      kind: plurals[kind],
      name,
    },
  );
}
