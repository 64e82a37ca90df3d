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

/** The object of a version that a person makes: see guard-versions for what it may say. */
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

/** Asks the API server what it would say, before a name is spent on it: rights, guards, keys, sizes. */
export async function dryRunVersionObject(
  context: WriteContext,
  address: ConfigAddress,
  object: ConfigBody,
): Promise<void> {
  try {
    await context.client.create(configResources[address.kind], object, writeOptions(context, true));
  } catch (error) {
    // From a call that was killed half-way: it is finished by this one.
    if (isAlreadyExists(error)) return;
    throw named(error, object.metadata.name ?? '', address.name);
  }
}

/** Answers the object, also when a call that was killed has made it already. */
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
    `${plurals[address.kind]} ${JSON.stringify(name)} is in the way of this version and is not ours; choose another version name`,
    { kind: plurals[address.kind], name },
  );
}

/** The name of the copy says nothing to the person who sent the config. */
function named(error: unknown, object: string, config: string): unknown {
  if (!(error instanceof ApiError) || error.status !== 422) return error;
  const { body, status } = error;
  return new ApiError(status, {
    ...body,
    message: (body.message ?? '').replaceAll(`"${object}"`, `"${config}"`),
    ...(body.details && { details: { ...body.details, name: config } }),
  });
}
