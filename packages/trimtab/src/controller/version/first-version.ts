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

/** The reconcilers may be at the same config: each of their steps can be in our way once. */
const tries = 5;

/**
 * Makes the first version of a config at once, for a workload that is just being admitted, and answers its object;
 * undefined when there is nothing to make it of. The reconcilers may be at it, too: whoever is second finds it done.
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
    // The only one it ever had is current, whether the status says so already or not. Of several it is not for us to say.
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
