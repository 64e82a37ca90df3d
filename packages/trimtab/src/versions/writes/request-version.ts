import { randomBytes } from 'node:crypto';
import { configResources } from '@trimtab/kube/resource.ts';
import { isConflict } from '@trimtab/kube/transport/errors.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { planRequest, type Superseded } from '../../core/activation/version-request.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { rolloutName } from '../../core/version/object-names.ts';
import { noConfig } from '../not-found.ts';
import { readRollout } from '../read-config.ts';
import { conflict } from '../refusal.ts';
import { type VersionWriter, writing } from '../version-writer.ts';
import { refuseGoing } from './refuse-going.ts';

export interface VersionRequester extends VersionWriter {
  /** The user name that the API server reports for the client. It is read only when a request is written. */
  username(): Promise<string>;
}

export interface VersionRequest {
  rollout: ConfigRollout;
  /** The id of the request; undefined when nothing had to be written. */
  requestId: string | undefined;
  /** The version is already current. */
  settled: boolean;
  supersedes: Superseded | undefined;
}

export interface RequestOptions {
  /** Roll the version out without a bake time. Its pods are judged all the same. */
  skipBake?: boolean;
  /** Throws when this state of the ConfigRollout is not the one that the request is for. */
  precondition?: (rollout: ConfigRollout) => Promise<void>;
}

/** The ledger and the status change often, so each attempt uses a fresh read of the ConfigRollout. */
const maxTries = 10;

/**
 * Writes the requested version to the ConfigRollout with the caller's rights. The write requires the resourceVersion
 * that was read: of two concurrent callers, the second reads the first request and is told that it supersedes it.
 */
export async function requestVersion(
  requester: VersionRequester,
  address: ConfigAddress,
  first: ConfigRollout,
  version: string,
  { skipBake = false, precondition }: RequestOptions = {},
): Promise<VersionRequest> {
  const { client, signal } = requester;
  const { kind, namespace, name } = address;
  let rollout = first;
  for (let tries = 0; tries < maxTries; tries++) {
    await precondition?.(rollout);
    const plan = planRequest(rollout, version);
    if (!plan.write) return { rollout, requestId: undefined, settled: true, supersedes: undefined };
    await refuseGoing(requester, address, rollout, version);
    const requestId = randomBytes(8).toString('hex');
    const who = await requester.username();
    const body = {
      metadata: {
        resourceVersion: rollout.metadata.resourceVersion,
        annotations: {
          [annotations.requestId]: requestId,
          // The webhook writes the same value. Without the webhook, the admission policy still verifies it.
          [annotations.requestedBy]: who === '' ? null : who,
          [annotations.requestedVersion]: version,
          ...skipBakeAnnotation(rollout, skipBake ? requestId : null),
        },
      },
      spec: { version },
    };
    const where = { namespace, name: rolloutName(kind, name) };
    try {
      const patch = { type: 'merge' as const, body };
      const written = await client.patch<ConfigRollout>(configRollouts, where, patch, writing(requester));
      return { rollout: written, requestId, settled: plan.settled, supersedes: plan.supersedes };
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    const fresh = await readRollout(client, address, signal);
    if (fresh === undefined) throw noConfig(address);
    rollout = fresh;
  }
  throw conflict(
    `${configResources[kind].plural} "${name}" was modified concurrently; nothing was activated, retry the request`,
    {
      kind: configResources[kind].plural,
      name,
    },
  );
}

/** A value of an earlier request has no effect, and is removed. */
function skipBakeAnnotation(
  { metadata }: ConfigRollout,
  value: string | null,
): Record<string, string | null> {
  const key = annotations.skipBake;
  return value === null && metadata.annotations?.[key] === undefined ? {} : { [key]: value };
}
