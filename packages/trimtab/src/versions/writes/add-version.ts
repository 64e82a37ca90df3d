import { configResources } from '@trimtab/kube/resource.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { labels } from '../../api/names.ts';
import { quoted } from '../../core/messages/quoted.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { createdVersionState } from '../../core/version/created-version-state.ts';
import { knownLedger } from '../../core/version/ledger.ts';
import { unmanagedVersionName, validChosenName } from '../../core/version/unmanaged-version.ts';
import type { ReleaseMode } from '../../core/workload/opt-in.ts';
import { rolloutFor } from '../first-version.ts';
import { createRollout } from '../new-rollout.ts';
import { noConfig } from '../not-found.ts';
import { type FoundVersion, listConfigVersions, readLive, readRollout } from '../read-config.ts';
import { alreadyExists, badRequest, invalid } from '../refusal.ts';
import { addFirstVersion, busy } from './add-first-version.ts';
import { type CreatedVersion, metadataOf } from './create-config.ts';
import { withUid } from './dry-run-rollout.ts';
import { nameUsed } from './name-used.ts';
import { planName } from './plan-name.ts';
import { refuseBeingDeleted } from './refuse-being-deleted.ts';
import { createVersionObject, dryRunVersionObject, userVersionObject } from './version-objects.ts';
import type { WriteContext } from './write-context.ts';

/** Concurrent callers choose the same automatic name, and one of them succeeds in each round. */
const maxAttempts = 30;

/**
 * Adds a version without activating it. The content of an unmanaged config becomes its first version before that. Its
 * release mode is `release`, or else that of its annotation.
 */
export async function addVersion(
  context: WriteContext,
  address: ConfigAddress,
  sent: ConfigBody,
  chosen: string | undefined,
  dryRun: boolean,
  release?: ReleaseMode,
): Promise<CreatedVersion> {
  const { client } = context;
  const [known, live, existing] = await Promise.all([
    readRollout(client, address),
    readLive(client, address),
    listConfigVersions(client, address),
  ]);
  if (live === undefined) throw noConfig(address, 'create-config');
  refuseBeingDeleted(address, known);
  const body = { ...sent, ...typeOf(address, sent, live) };
  const expected = known ?? withUid(rolloutFor(address, live, existing, { release }));
  const after = withBaseline(expected, live, existing);
  const planned = userVersionObject(
    context,
    expected,
    body,
    await planName(context, address, expected, after, chosen),
  );
  if (known === undefined)
    await createRollout(context, rolloutFor(address, live, existing, { release }), { dryRun: true });
  await dryRunVersionObject(context, address, planned);
  if (dryRun) {
    const hasBaseline = after.length === existing.length;
    return hasBaseline
      ? added(address, expected, planned, existing)
      : { rollout: expected, object: planned, state: 'not-current', notices: [] };
  }

  const first = await addFirstVersion(context, address, live, validChosenName(live), release);
  return createNext(context, address, first.rollout, first.existing, body, chosen);
}

async function createNext(
  context: WriteContext,
  address: ConfigAddress,
  rollout: ConfigRollout,
  existing: readonly FoundVersion[],
  body: ConfigBody,
  chosen: string | undefined,
): Promise<CreatedVersion> {
  const { client } = context;
  let [seen, found]: [ConfigRollout | undefined, readonly FoundVersion[]] = [rollout, existing];
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const plan = await planName(
      context,
      address,
      seen,
      found.map(({ version }) => version),
      chosen,
    );
    const object = userVersionObject(context, seen, body, plan);
    const creation = await createVersionObject(context, address, seen, object);
    if (creation.result === 'created') return added(address, seen, creation.object, found);
    if (creation.result === 'other object')
      throw alreadyExists(
        `${configResources[address.kind].plural} ${JSON.stringify(object.metadata.name)} already exists and is not this version; choose another version name`,
        { kind: configResources[address.kind].plural, name: object.metadata.name ?? '' },
      );
    if (chosen !== undefined) throw await nameUsed(client, address, seen, chosen);
    [seen, found] = await Promise.all([readRollout(client, address), listConfigVersions(client, address)]);
    if (seen === undefined || seen.metadata.uid !== rollout.metadata.uid) break;
  }
  throw busy(address);
}

/** A version that is added stays as it is until it is activated, unless the config has no other. */
function added(
  address: ConfigAddress,
  rollout: ConfigRollout,
  object: ConfigBody,
  existing: readonly FoundVersion[],
): CreatedVersion {
  const versions = existing.map(({ version }) => version);
  const { state } = createdVersionState(rollout, versions, metadataOf(address, rollout, object));
  return { rollout, object, state, notices: [] };
}

/** The versions as they will be once the baseline exists, for the plan of the next name. */
function withBaseline(
  rollout: ConfigRollout,
  live: ConfigBody,
  existing: readonly FoundVersion[],
): { name: string; sequence: number }[] {
  if (existing.length > 0 || knownLedger(rollout).sequence > 0) return existing.map(({ version }) => version);
  return [{ name: unmanagedVersionName(live), sequence: 1 }];
}

/** The type of a Secret is immutable, and its versions keep it. */
function typeOf({ kind, name }: ConfigAddress, sent: ConfigBody, live: ConfigBody): { type?: string } {
  if (live.metadata.labels?.[labels.versionOf] !== undefined)
    throw badRequest(
      `${configResources[kind].plural} ${JSON.stringify(name)} is itself a version: add the version to its config instead`,
    );
  if (kind === 'ConfigMap') return {};
  const type = live.type ?? 'Opaque';
  if (sent.type === undefined || sent.type === type) return { type };
  const problem = `Invalid value: ${quoted(sent.type)}: the Secret is of type ${type}, and the type is immutable`;
  throw invalid({ kind, name }, [{ field: 'type', problem }]);
}
