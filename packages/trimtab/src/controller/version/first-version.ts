import { configResources } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { contentHash } from '../../core/version/content-hash.ts';
import { ledgerOf } from '../../core/version/ledger.ts';
import { rolloutName, versionObjectName } from '../../core/version/object-names.ts';
import { planVersion } from '../../core/version/version-plan.ts';
import { parseRelease } from '../../core/workload/opt-in.ts';
import { isOf } from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';
import { isStale } from '../guarded-patch.ts';
import { ensureRollout } from './ensure-rollout.ts';
import { makeVersion } from './make-version.ts';

/** Reconcilers may process the same config: each of their writes can cause one conflict. */
const tries = 5;

/**
 * Creates the first version of a config for a workload that is being admitted, and returns its object name. Returns
 * undefined when the config does not exist or cannot become a version. Reconcilers may do the same concurrently; the
 * second writer finds the version already created.
 */
export async function ensureFirstVersion(
  context: ControllerContext,
  namespace: string,
  kind: ConfigKind,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (let left = tries - 1; ; left -= 1) {
    try {
      return await makeFirstVersion(context, namespace, kind, name, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isStale(error) || left === 0) throw error;
    }
  }
}

async function makeFirstVersion(
  context: ControllerContext,
  namespace: string,
  kind: ConfigKind,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { client } = context;
  const body = await client.get<ConfigBody>(configResources[kind], { namespace, name }, { signal });
  const release = parseRelease(body.metadata.annotations);
  await ensureRollout(context, { namespace, kind, name, release }, [], signal);
  const where = { namespace, name: rolloutName(kind, name) };
  const rollout = await client.get<ConfigRollout>(configRollouts, where, { signal });
  if (!isOf(rollout, kind, name)) return undefined;
  const { ledger } = ledgerOf(rollout, []);
  const objectOf = (version: string) => versionObjectName(name, rollout.metadata.uid ?? '', version);
  if (ledger.last?.made) {
    const { current } = rollout.status ?? {};
    if (current !== undefined) return current.object;
    // A single version is current even if the status does not say so yet. With several, only the status decides.
    return ledger.sequence === 1 ? objectOf(ledger.last.name) : undefined;
  }
  const liveHash = contentHash(body);
  const plan = planVersion({
    release: rollout.spec.release,
    liveHash,
    type: body.type,
    chosenName: body.metadata.annotations?.[annotations.version],
    versions: [],
    ledger,
  });
  if (plan.make !== 'version') return undefined;
  const version = { contentHash: liveHash, createdBy: 'admission', state: 'current' } as const;
  await makeVersion(context, rollout, plan.reservation, version, signal);
  return objectOf(plan.reservation.name);
}
