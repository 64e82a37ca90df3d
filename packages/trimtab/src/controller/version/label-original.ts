import { configResources } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { labels } from '../../api/names.ts';
import { configLabelValue } from '../../core/version/object-names.ts';
import { versionMetadata } from '../../core/version/version-metadata.ts';
import { configMetadataOf } from '../cache/lookup.ts';
import { type ControllerContext, fieldManager } from '../context.ts';

/**
 * Sees to it that the config of a rollout carries our label, which makes it one group with its versions and lets
 * us see its content. Needed again whenever the config was deleted and has come back.
 */
export async function labelOriginal(
  { client, cluster }: ControllerContext,
  { spec, metadata }: ConfigRollout,
  signal: AbortSignal,
): Promise<void> {
  const { kind, name } = spec.config;
  const { namespace = '' } = metadata;
  const config = configMetadataOf(cluster, namespace, kind, name);
  // It may be made later, or be a version of something else.
  if (config === undefined || config.deleting || versionMetadata(config) !== undefined) return;
  if (config.labels[labels.config] === configLabelValue(name)) return;
  const body = { metadata: { uid: config.uid, labels: { [labels.config]: configLabelValue(name) } } };
  const patch = { type: 'merge' as const, body };
  await client
    .patch(configResources[kind], { namespace, name }, patch, { fieldManager, signal })
    .catch((error: unknown) => {
      // It went away. A Conflict is for another look: the server also answers it when too many write at once.
      if (!isNotFound(error)) throw error;
    });
}
