import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import type { ConfigKey } from '../../core/references/config-key.ts';
import { readConfigKey } from '../../core/references/config-key.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { rolloutName } from '../../core/version/object-names.ts';
import { versionMetadata } from '../../core/version/version-metadata.ts';
import { managedWorkloads } from '../../core/workload/managed-workloads.ts';
import { parseRelease } from '../../core/workload/opt-in.ts';
import { workloadKey } from '../../core/workload/workload-key.ts';
import { configMetadataOf, isOf, rolloutNamedFor, rolloutOf } from '../cache/lookup.ts';
import type { Workload } from '../cache/workloads.ts';
import { type ControllerContext, fieldManager } from '../context.ts';
import { ensureRollout } from '../version/ensure-rollout.ts';

/**
 * Sees to it that a config has its rollout, and that the rollout knows of the workload. False when the cache does
 * not show that rollout yet: nothing but another look will put the workload on its list.
 */
export async function addWorkload(
  context: ControllerContext,
  workload: Workload,
  config: ConfigKey,
  signal: AbortSignal,
): Promise<boolean> {
  const { cluster, recordEvent } = context;
  const { namespace } = workload;
  const { kind, name } = readConfigKey(config);
  const metadata = configMetadataOf(cluster, namespace, kind, name);
  // It may be made later, or be a version of something that is not ours.
  if (metadata === undefined || metadata.deleting || versionMetadata(metadata) !== undefined) return true;
  const rollout = rolloutNamedFor(cluster, namespace, kind, name);
  if (rollout === undefined) return createManagedRollout(context, workload, kind, name, signal);
  if (!isOf(rollout, kind, name)) {
    const { config } = rollout.spec;
    const message = `it can't be managed: its ConfigRollout would be ${rollout.metadata.name}, which is that of ${config.kind} ${config.name}. Give one of them another name`;
    recordEvent(
      { apiVersion: 'v1', kind, namespace, name, uid: metadata.uid },
      'Warning',
      'RolloutNameTaken',
      message,
    );
    return true;
  }
  await writeWorkloads(
    context,
    rollout,
    [...managedWorkloads(rollout), workloadKey(workload.kind, workload.name)],
    signal,
  );
  return true;
}

/** Takes a workload off the list of a config: it opted out, or is gone. */
export async function removeWorkload(
  context: ControllerContext,
  namespace: string,
  config: ConfigKey,
  workload: string,
  signal: AbortSignal,
): Promise<void> {
  const { kind, name } = readConfigKey(config);
  const rollout = rolloutOf(context.cluster, namespace, kind, name);
  if (rollout === undefined) return;
  await writeWorkloads(
    context,
    rollout,
    managedWorkloads(rollout).filter((each) => each !== workload),
    signal,
  );
}

/** As the server has it, which may be more than the cache knows. */
export async function liveRollout(
  { client }: ControllerContext,
  namespace: string,
  config: ConfigKey,
  signal: AbortSignal,
): Promise<ConfigRollout | undefined> {
  const { kind, name } = readConfigKey(config);
  const where = { namespace, name: rolloutName(kind, name) };
  return client.get<ConfigRollout>(configRollouts, where, { signal }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

async function createManagedRollout(
  context: ControllerContext,
  workload: Workload,
  kind: ConfigKind,
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { cluster, recordEvent } = context;
  const { namespace } = workload;
  const metadata = configMetadataOf(cluster, namespace, kind, name);
  const release = parseRelease(metadata?.annotations);
  const about = { apiVersion: 'v1', kind, namespace, name, uid: metadata?.uid ?? '' };
  if ('problem' in release) recordEvent(about, 'Warning', 'InvalidAnnotation', release.problem);
  const created = await ensureRollout(
    context,
    { namespace, kind, name, release },
    [workloadKey(workload.kind, workload.name)],
    signal,
  );
  if (metadata?.ownerReferences.some(({ uid }) => uid === workload.uid)) {
    const owner = `${workload.kind} ${workload.name}`;
    recordEvent(
      about,
      'Warning',
      'DeletedWithOwner',
      `${kind} ${name} is owned by ${owner}: Kubernetes deletes it together with its owner`,
    );
  }
  return created;
}

async function writeWorkloads(
  context: ControllerContext,
  rollout: ConfigRollout,
  workloads: string[],
  signal: AbortSignal,
): Promise<void> {
  const wanted = JSON.stringify([...new Set(workloads)].sort());
  if (JSON.stringify(managedWorkloads(rollout)) === wanted) return;
  const { namespace = '', name = '', resourceVersion } = rollout.metadata;
  const body = { metadata: { resourceVersion, annotations: { [annotations.workloads]: wanted } } };
  await context.client.patch(
    configRollouts,
    { namespace, name },
    { type: 'merge', body },
    { fieldManager, signal },
  );
}
