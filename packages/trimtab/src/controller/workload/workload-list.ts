import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import type { ConfigKey } from '../../core/references/config-key.ts';
import { readConfigKey } from '../../core/references/config-key.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { rolloutName } from '../../core/version/object-names.ts';
import { versionMetadata } from '../../core/version/version-metadata.ts';
import { managedWorkloads } from '../../core/workload/managed-workloads.ts';
import { hasRelease, parseRelease } from '../../core/workload/opt-in.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import { workloadKey } from '../../core/workload/workload-key.ts';
import { createRollout, newRollout } from '../../versions/new-rollout.ts';
import { configMetadataOf, isOf, rolloutNamedFor, rolloutOf, versionsOfConfig } from '../cache/lookup.ts';
import { type ControllerContext, fieldManager } from '../context.ts';
import { workloadSubject } from './workload-subject.ts';

/**
 * Ensures that a config has a rollout and that the rollout lists the workload. Returns false when the rollout exists
 * but is not in the cache yet; the caller must requeue the key to add the workload.
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
  // The config may not exist yet, or may itself be a version.
  if (metadata === undefined || metadata.deleting || versionMetadata(metadata) !== undefined) return true;
  const rollout = rolloutNamedFor(cluster, namespace, kind, name);
  if (rollout === undefined) return createManagedRollout(context, workload, kind, name, signal);
  if (!isOf(rollout, kind, name)) {
    const { config } = rollout.spec;
    const message = `${kind} ${name} cannot be managed: its ConfigRollout would be named ${rollout.metadata.name}, which belongs to ${config.kind} ${config.name}. Rename one of the two configs`;
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

/** Removes a workload that opted out or was deleted from the list of a config. */
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

/** Reads the rollout of a config from the API server, because the cache may be stale. */
export async function liveRollout(
  { client }: ControllerContext,
  namespace: string,
  config: ConfigKey,
  signal: AbortSignal,
): Promise<ConfigRollout | undefined> {
  const { kind, name } = readConfigKey(config);
  const where = { namespace, name: rolloutName(kind, name) };
  return getIfExists<ConfigRollout>(client, configRollouts, where, { signal });
}

async function createManagedRollout(
  context: ControllerContext,
  workload: Workload,
  kind: ConfigKind,
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { client, cluster, denials, recordEvent, releaseDefaults } = context;
  const { namespace } = workload;
  const metadata = configMetadataOf(cluster, namespace, kind, name);
  const release = parseRelease(metadata?.annotations);
  const about = { apiVersion: 'v1', kind, namespace, name, uid: metadata?.uid ?? '' };
  if ('problem' in release) recordEvent(about, 'Warning', 'InvalidAnnotation', release.problem);
  const key = `${namespace}/${rolloutName(kind, name)}`;
  const known = denials.of(key);
  const usualRelease = hasRelease(metadata?.annotations) ? undefined : await releaseDefaults.of(namespace);
  const rollout = newRollout(
    { kind, namespace, name },
    {
      release: ('value' in release ? release.value : undefined) ?? usualRelease,
      existing: versionsOfConfig(cluster, namespace, kind, name),
      workloads: [workloadKey(workload.kind, workload.name)],
    },
  );
  const created = await denials
    .during(key, () => createRollout({ client, fieldManager, signal }, rollout))
    .finally(() => {
      const denial = denials.of(key);
      if (denial === undefined || denial === known) return;
      const message = `${kind} ${name} cannot be managed: ${denial}`;
      for (const subject of [about, workloadSubject(workload)])
        recordEvent(subject, 'Warning', 'VersionRefused', message);
    });
  if (metadata?.ownerReferences.some(({ uid }) => uid === workload.uid)) {
    const owner = `${workload.kind} ${workload.name}`;
    recordEvent(
      about,
      'Warning',
      'DeletedWithOwner',
      `${kind} ${name} is owned by ${owner}: Kubernetes deletes it together with its owner`,
    );
  }
  return created !== undefined;
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
