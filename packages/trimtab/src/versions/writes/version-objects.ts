import { configResources } from '@trimtab/kube/resource.ts';
import { ApiError, isAlreadyExists } from '@trimtab/kube/transport/errors.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { contentHash } from '../../core/version/content-hash.ts';
import { versionObject } from '../../core/version/version-object.ts';
import type { PlannedVersion } from '../../core/version/version-plan.ts';
import { confirmVersion } from '../confirm-version.ts';
import { type Creation, createVersion } from '../create-version.ts';
import { versionOfRollout } from '../read-config.ts';
import { writing } from '../version-writer.ts';
import { refuseType } from './refuse-type.ts';
import type { WriteContext } from './write-context.ts';

/** The object of a version that a person creates. The policy in guard-versions restricts its metadata. */
export function userVersionObject(
  { by }: WriteContext,
  rollout: ConfigRollout,
  body: ConfigBody,
  { name, sequence }: PlannedVersion,
): ConfigBody {
  refuseType(rollout.spec.config, body.type);
  return versionObject(rollout, body, {
    name,
    sequence,
    contentHash: contentHash(body),
    createdBy: by,
    state: 'not-current',
    madeByHand: true,
  });
}

/** Validates the object with a dry run before anything is written: authorization, policies, keys and sizes. */
export async function dryRunVersionObject(
  context: WriteContext,
  address: ConfigAddress,
  object: ConfigBody,
): Promise<void> {
  try {
    const options = { ...writing(context), dryRun: true };
    await context.client.create(configResources[address.kind], object, options);
  } catch (error) {
    // An interrupted call has created the object; this call completes it.
    if (isAlreadyExists(error)) return;
    throw named(error, object.metadata.name ?? '', address.name);
  }
}

/** Creates the object. `void`: a version of this name existed before, and was deleted concurrently. */
export async function createVersionObject(
  context: WriteContext,
  address: ConfigAddress,
  rollout: ConfigRollout,
  object: ConfigBody,
): Promise<Creation | { result: 'void' }> {
  try {
    const creation = await createVersion(context, rollout, object);
    const version = 'object' in creation ? versionOfRollout(address, rollout, creation.object) : undefined;
    if (version === undefined) return creation;
    const confirmed = await confirmVersion(context, address, rollout, version);
    return confirmed === 'valid' ? creation : { result: confirmed === 'void' ? 'void' : 'gone' };
  } catch (error) {
    throw named(error, object.metadata.name ?? '', address.name);
  }
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
