import { configResources } from '@trimtab/kube/resource.ts';
import { isAlreadyExists, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { configKey } from '../../core/references/config-key.ts';
import { contentHash } from '../../core/version/content-hash.ts';
import { markMade, type Reservation } from '../../core/version/ledger.ts';
import { type NewVersion, versionObject } from '../../core/version/version-object.ts';
import { type ControllerContext, fieldManager } from '../context.ts';
import { writeLedger } from './write-ledger.ts';

/** The config was edited or deleted after it was observed. */
export class ContentChanged extends Error {
  override readonly name = 'ContentChanged';
}

/**
 * Writes the ledger first, then creates the version object: after a crash in between, the same content gets the same
 * name, and a second create returns AlreadyExists. LedgerReconciler marks the version as made.
 */
export async function makeVersion(
  { client, cluster, log }: ControllerContext,
  rollout: ConfigRollout,
  reservation: Reservation,
  version: Pick<NewVersion, 'contentHash' | 'createdBy' | 'state'>,
  signal: AbortSignal,
): Promise<void> {
  const { kind, name } = rollout.spec.config;
  const { namespace = '' } = rollout.metadata;
  const resource = configResources[kind];
  const [reserved, body] = await Promise.all([
    writeLedger(client, rollout, reservation.ledger, { signal }),
    cluster.freshBodies.take(kind, namespace, name, version.contentHash) ??
      client.get<ConfigBody>(resource, { namespace, name }, { signal }).catch((error: unknown) => {
        if (isNotFound(error)) throw new ContentChanged(`${kind} ${namespace}/${name} was deleted`);
        throw error;
      }),
  ]);
  if (contentHash(body) !== version.contentHash)
    throw new ContentChanged(`${kind} ${namespace}/${name} was edited again`);
  const { name: versionName, sequence } = reservation;
  const object = versionObject(rollout, body, { ...version, name: versionName, sequence });
  try {
    await client.create(resource, object, { fieldManager, signal });
    log.info({ namespace, config: configKey(kind, name), version: versionName }, 'version created');
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    // An attempt that was killed may have created the object. The name is confirmed only when the object exists.
    const where = { namespace, name: object.metadata.name ?? '' };
    await client.get(resource, where, { projection: 'metadata', signal });
    // The object may not be a version of this rollout. With the name confirmed, the next reconciliation verifies it.
    await writeLedger(client, reserved, markMade(reservation.ledger), { signal });
  }
}
