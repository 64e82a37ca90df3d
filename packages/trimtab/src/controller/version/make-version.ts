import { configResources } from '@trimtab/kube/resource.ts';
import { isAlreadyExists, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { contentHash } from '../../core/version/content-hash.ts';
import { markMade, type Reservation } from '../../core/version/ledger.ts';
import { type NewVersion, versionObject } from '../../core/version/version-object.ts';
import { type ControllerContext, fieldManager } from '../context.ts';
import { writeLedger } from './write-ledger.ts';

/** The config was edited again, or deleted, between the look and the copy. */
export class ContentChanged extends Error {
  override readonly name = 'ContentChanged';
}

/**
 * Ledger first, then the copy: killed in between, the same content gets the same name, and creating it twice meets
 * AlreadyExists. The ledger's last word, that the copy was made, is LedgerReconciler's.
 */
export async function makeVersion(
  { client, cluster }: ControllerContext,
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
  await client.create(resource, object, { fieldManager, signal }).catch(async (error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
    // From a try that was killed; but a name is settled only for what has been seen.
    const where = { namespace, name: object.metadata.name ?? '' };
    await client.get(resource, where, { projection: 'metadata', signal });
    // It may be somebody else's, which would never be seen as ours: with the last word said, the next look finds out.
    await writeLedger(client, reserved, markMade(reservation.ledger), { signal });
  });
}
