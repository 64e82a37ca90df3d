import { configResources } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import { configLabelValue } from '../../core/version/object-names.ts';
import { versionMetadata } from '../../core/version/version-metadata.ts';
import type { ConfigMetadata } from '../cache/configs.ts';
import { configMetadataOf, originalOf, versionsOfConfig } from '../cache/lookup.ts';
import { type ControllerContext, fieldManager } from '../context.ts';
import { wrongName } from './wrong-name.ts';

/**
 * Labels the config of a rollout. One label groups the config with its versions and selects it for the watch that
 * receives content; another one applies the policy for locked configs. A config that was deleted and created again is
 * labelled again.
 */
export async function labelOriginal(
  context: ControllerContext,
  { spec, metadata }: ConfigRollout,
  signal: AbortSignal,
): Promise<void> {
  const { kind, name } = spec.config;
  const config = configMetadataOf(context.cluster, metadata.namespace ?? '', kind, name);
  // The config may not exist yet, or may itself be a version.
  if (config === undefined || config.deleting || versionMetadata(config) !== undefined) return;
  await patchMetadata(
    context,
    config,
    {
      [labels.config]: configLabelValue(name),
      [labels.locked]: spec.release === 'Locked' ? 'true' : null,
    },
    signal,
  );
}

/** Unlocks a config whose rollout is gone: nobody manages it, and its users must be able to edit it. */
export async function unlockOriginal(
  context: ControllerContext,
  config: ConfigMetadata,
  signal: AbortSignal,
): Promise<void> {
  await patchMetadata(context, config, { [labels.locked]: null }, signal);
}

/** Writes those labels that differ; null removes a label. */
async function patchMetadata(
  { client, cluster }: ControllerContext,
  config: ConfigMetadata,
  wanted: Record<string, string | null>,
  signal: AbortSignal,
): Promise<void> {
  const { kind, namespace, name, uid, labels: own } = config;
  const changed = Object.entries(wanted).filter(([key, value]) => (own[key] ?? null) !== value);
  if (changed.length === 0) return;
  // The name of the version that a Locked config holds would be taken for the name of the first edit after that.
  const isUnlocked = changed.some(([key, value]) => key === labels.locked && value === null);
  const held = config.annotations[annotations.version];
  const isVersion = versionsOfConfig(cluster, namespace, kind, name).some((each) => each.name === held);
  const body = {
    metadata: {
      uid,
      labels: Object.fromEntries(changed),
      ...(isUnlocked && isVersion && { annotations: { [annotations.version]: null } }),
    },
  };
  await client
    .patch(configResources[kind], { namespace, name }, { type: 'merge', body }, { fieldManager, signal })
    .catch((error: unknown) => {
      // The config was deleted. A Conflict is thrown and retried: the API server also returns it when too many clients
      // write concurrently.
      if (!isNotFound(error)) throw error;
    });
}

/**
 * Whether a config has lost its label, by `kubectl replace` for example. Its content is unknown until the label is
 * restored.
 */
export function awaitsLabel(
  { cluster, denials }: Pick<ControllerContext, 'cluster' | 'denials'>,
  rollout: ConfigRollout,
): boolean {
  const { kind, name } = rollout.spec.config;
  const { namespace = '' } = rollout.metadata;
  if (originalOf(cluster, rollout) !== undefined || wrongName(rollout) !== undefined) return false;
  const config = configMetadataOf(cluster, namespace, kind, name);
  if (config === undefined || config.deleting || versionMetadata(config) !== undefined) return false;
  return denials.of(`${namespace}/${rollout.metadata.name}`) === undefined;
}
