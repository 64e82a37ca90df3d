import { isAlreadyExists } from '@trimtab/kube/transport/errors.ts';
import type { ConfigBody } from '../../../api/config-body.ts';
import { labels } from '../../../api/names.ts';
import { contentHash } from '../../../core/version/content-hash.ts';
import { badRequest, invalid, notFound, type StatusError } from '../../answer/status-error.ts';
import { type ConfigAddress, plurals } from '../addressing/config-address.ts';
import { readLive, readRollout } from '../reads/read-config.ts';
import { ensureBaseline, freshRollout, withBaseline } from './baseline.ts';
import type { CreatedVersion } from './create-config.ts';
import { createRollout } from './new-rollout.ts';
import { confirmName, planName, reserveName } from './reserve-name.ts';
import { createVersionObject, dryRunVersionObject, userVersionObject } from './version-objects.ts';
import type { WriteContext } from './write-context.ts';

/** Adds a version without activating it. The content of an unmanaged config becomes its first version before that. */
export async function addVersion(
  context: WriteContext,
  address: ConfigAddress,
  sent: ConfigBody,
  version: string | undefined,
  dryRun: boolean,
): Promise<CreatedVersion> {
  const { client } = context;
  const [known, live] = await Promise.all([readRollout(client, address), readLive(client, address)]);
  if (live === undefined) throw missing(address);
  const body = { ...sent, ...typeOf(address, sent, live) };
  const request = { contentHash: contentHash(body), chosen: version };
  const expected = await withBaseline(context, address, live, known);
  const object = userVersionObject(
    context,
    expected,
    body,
    await planName(context, address, expected, request),
  );
  if (known === undefined) await dryRunRollout(context, address, live);
  await dryRunVersionObject(context, address, object);
  if (dryRun) return { rollout: expected, object };

  const rollout = await ensureBaseline(context, address, live, known);
  const reserved = await reserveName(context, address, rollout, request);
  const wanted = userVersionObject(context, reserved.rollout, body, reserved.reservation);
  const made = await createVersionObject(context, address, wanted);
  await confirmName(context, reserved);
  return { rollout: reserved.rollout, object: made };
}

async function dryRunRollout(context: WriteContext, address: ConfigAddress, live: ConfigBody): Promise<void> {
  await createRollout(context, freshRollout(address, live), true).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

/** The type of a Secret is immutable, and its versions keep it. */
function typeOf({ kind, name }: ConfigAddress, sent: ConfigBody, live: ConfigBody): { type?: string } {
  if (live.metadata.labels?.[labels.versionOf] !== undefined)
    throw badRequest(
      `${plurals[kind]} ${JSON.stringify(name)} is itself a version: add the version to its config instead`,
    );
  if (kind === 'ConfigMap') return {};
  const type = live.type ?? 'Opaque';
  if (sent.type === undefined || sent.type === type) return { type };
  const problem = `Invalid value: ${JSON.stringify(sent.type)}: the Secret is of type ${type}, and the type is immutable`;
  throw invalid({ kind, name }, [{ field: 'type', problem }]);
}

function missing({ kind, namespace, name }: ConfigAddress): StatusError {
  const plural = plurals[kind];
  return notFound(
    `${plural} ${JSON.stringify(name)} not found: create it with its first version by POST /api/v1/namespaces/${namespace}/${plural}/{version} with its name in the body`,
    { kind: plural, name },
  );
}
