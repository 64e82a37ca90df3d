import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import type { ConfigKey } from '../../core/references/config-key.ts';
import { readConfigKey } from '../../core/references/config-key.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { rolloutName } from '../../core/version/object-names.ts';
import { versionHead } from '../../core/version/version-head.ts';
import { managedWorkloads } from '../../core/workload/managed-workloads.ts';
import { parseRelease } from '../../core/workload/opt-in.ts';
import { workloadKey } from '../../core/workload/workload-key.ts';
import { type ControllerContext, fieldManager } from '../context.ts';
import { headOf, isOf, rolloutNamedFor, rolloutOf } from '../picture/lookup.ts';

import type { Workload } from '../picture/workloads.ts';
import { createRollout } from '../version/create-rollout.ts';

/**
 * Sees to it that a config has its rollout, and that the rollout knows of the workload. False when the picture does
 * not show that rollout yet: nothing but another look will put the workload on its list.
 */
export async function enlist(
  context: ControllerContext,
  workload: Workload,
  config: ConfigKey,
  signal: AbortSignal,
): Promise<boolean> {
  const { picture, tell } = context;
  const { namespace } = workload;
  const { kind, name } = readConfigKey(config);
  const head = headOf(picture, namespace, kind, name);
  // It may be made later, or be a version of something that is not ours.
  if (head === undefined || head.deleting || versionHead(head) !== undefined) return true;
  const rollout = rolloutNamedFor(picture, namespace, kind, name);
  if (rollout === undefined) return begin(context, workload, kind, name, signal);
  if (!isOf(rollout, kind, name)) {
    const { config } = rollout.spec;
    const message = `it can't be managed: its ConfigRollout would be ${rollout.metadata.name}, which is that of ${config.kind} ${config.name}. Give one of them another name`;
    tell({ apiVersion: 'v1', kind, namespace, name, uid: head.uid }, 'Warning', 'RolloutNameTaken', message);
    return true;
  }
  await list(
    context,
    rollout,
    [...managedWorkloads(rollout), workloadKey(workload.kind, workload.name)],
    signal,
  );
  return true;
}

/** Takes a workload off the list of a config: it opted out, or is gone. */
export async function strikeOff(
  context: ControllerContext,
  namespace: string,
  config: ConfigKey,
  workload: string,
  signal: AbortSignal,
): Promise<void> {
  const { kind, name } = readConfigKey(config);
  const rollout = rolloutOf(context.picture, namespace, kind, name);
  if (rollout === undefined) return;
  await list(
    context,
    rollout,
    managedWorkloads(rollout).filter((each) => each !== workload),
    signal,
  );
}

/** As the server has it, which may be more than the picture knows. */
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

async function begin(
  context: ControllerContext,
  workload: Workload,
  kind: ConfigKind,
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { picture, tell } = context;
  const { namespace } = workload;
  const head = headOf(picture, namespace, kind, name);
  const release = parseRelease(head?.annotations);
  const about = { apiVersion: 'v1', kind, namespace, name, uid: head?.uid ?? '' };
  if ('problem' in release) tell(about, 'Warning', 'InvalidAnnotation', release.problem);
  const created = await createRollout(
    context,
    { namespace, kind, name, release },
    [workloadKey(workload.kind, workload.name)],
    signal,
  );
  if (head?.ownerReferences.some(({ uid }) => uid === workload.uid)) {
    const owner = `${workload.kind} ${workload.name}`;
    tell(
      about,
      'Warning',
      'DeletedWithOwner',
      `${kind} ${name} is owned by ${owner}: Kubernetes deletes it together with its owner`,
    );
  }
  return created;
}

async function list(
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
