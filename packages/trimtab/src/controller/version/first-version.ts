import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import { annotations } from '../../api/names.ts';
import { findCurrentVersion } from '../../core/activation/current-version.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { hasRelease } from '../../core/workload/opt-in.ts';
import { ensureFirstVersion as ensure } from '../../versions/first-version.ts';
import { versionsOf } from '../../versions/read-config.ts';
import { isOf } from '../cache/lookup.ts';
import { type ControllerContext, fieldManager } from '../context.ts';

/**
 * Creates the first version of a config for a workload that is being admitted, and returns its object name. Returns
 * undefined when the config does not exist or cannot become a version, and when it is not certain which version is
 * current. Reconcilers may do the same concurrently; the second writer finds the version already created.
 */
export async function ensureFirstVersion(
  { direct: client, releaseDefaults }: Pick<ControllerContext, 'direct' | 'releaseDefaults'>,
  { kind, namespace, name }: ConfigAddress,
  signal: AbortSignal,
): Promise<string | undefined> {
  const body = await getIfExists<ConfigBody>(client, configResources[kind], { namespace, name }, { signal });
  if (body === undefined) return undefined;
  const writer = { client, fieldManager, signal };
  const chosenName = body.metadata.annotations?.[annotations.version];
  const usualRelease = hasRelease(body.metadata.annotations)
    ? undefined
    : await releaseDefaults.of(namespace);
  const options = {
    ...({ createdBy: 'admission', state: 'current' } as const),
    chosenName,
    ...(usualRelease && { usualRelease }),
  };
  const first = await ensure(writer, { kind, namespace, name }, body, options);
  // A name beyond 253 characters is shortened, so the rollout may belong to another config.
  if (!('rollout' in first) || !isOf(first.rollout, kind, name)) return undefined;
  const versions = versionsOf(first.rollout, first.existing).map(({ version }) => version);
  const { status } = first.rollout;
  // A single version is current even if the status does not say so yet. With several, only the status decides.
  if (status?.current === undefined && versions.length !== 1) return undefined;
  return findCurrentVersion(versions, status)?.object;
}
