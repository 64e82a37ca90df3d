import { configResources } from '@trimtab/kube/resource.ts';
import { ApiError, isAlreadyExists } from '@trimtab/kube/transport/errors.ts';
import type { ConfigBody } from '../../../api/config-body.ts';
import type { ConfigRollout } from '../../../api/config-rollout.ts';
import { annotations, labels } from '../../../api/names.ts';
import { contentHash } from '../../../core/version/content-hash.ts';
import type { Reservation } from '../../../core/version/ledger.ts';
import { versionObject } from '../../../core/version/version-object.ts';
import { alreadyExists } from '../../answer/status-error.ts';
import { type ConfigAddress, plurals } from '../addressing/config-address.ts';
import { type WriteContext, writeOptions } from './write-context.ts';

/** The object of a version that a person creates. The policy in guard-versions restricts its metadata. */
export function userVersionObject(
  { by }: WriteContext,
  rollout: ConfigRollout,
  body: ConfigBody,
  { name, sequence }: Pick<Reservation, 'name' | 'sequence'>,
): ConfigBody {
  const version = {
    name,
    sequence,
    contentHash: contentHash(body),
    createdBy: by,
    state: 'not-current',
  } as const;
  const object = versionObject(rollout, body, version);
  return {
    ...object,
    metadata: {
      ...object.metadata,
      annotations: { ...object.metadata.annotations, [annotations.madeByHand]: 'true' },
    },
  };
}

/** Validates the object with a dry run before its name is used up: authorization, policies, keys and sizes. */
export async function dryRunVersionObject(
  context: WriteContext,
  address: ConfigAddress,
  object: ConfigBody,
): Promise<void> {
  try {
    await context.client.create(configResources[address.kind], object, writeOptions(context, true));
  } catch (error) {
    // An interrupted call has created the object; this call completes it.
    if (isAlreadyExists(error)) return;
    throw named(error, object.metadata.name ?? '', address.name);
  }
}

/** Creates the object, or returns the one that an interrupted call has created. */
export async function createVersionObject(
  context: WriteContext,
  address: ConfigAddress,
  object: ConfigBody,
): Promise<ConfigBody> {
  const resource = configResources[address.kind];
  try {
    return await context.client.create(resource, object, writeOptions(context));
  } catch (error) {
    if (!isAlreadyExists(error)) throw named(error, object.metadata.name ?? '', address.name);
  }
  const { namespace, name } = { namespace: address.namespace, name: object.metadata.name ?? '' };
  const found = await context.client.get<ConfigBody>(resource, { namespace, name });
  const isOurs =
    found.metadata.labels?.[labels.versionOf] === object.metadata.labels?.[labels.versionOf] &&
    found.metadata.annotations?.[annotations.contentHash] ===
      object.metadata.annotations?.[annotations.contentHash];
  if (isOurs) return found;
  throw alreadyExists(
    `${plurals[address.kind]} ${JSON.stringify(name)} already exists and is not this version; choose another version name`,
    { kind: plurals[address.kind], name },
  );
}

/** Replaces the object's name by the config's name, which is the one that the caller knows. */
function named(error: unknown, object: string, config: string): unknown {
  if (!(error instanceof ApiError) || error.status !== 422) return error;
  const { body, status } = error;
  return new ApiError(status, {
    ...body,
    message: (body.message ?? '').replaceAll(`"${object}"`, `"${config}"`),
    ...(body.details && { details: { ...body.details, name: config } }),
  });
}
