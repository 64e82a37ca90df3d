import { configResources } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { labels } from '../../api/names.ts';
import { configLabelValue } from '../../core/version/object-names.ts';
import { versionHead } from '../../core/version/version-head.ts';
import { type ControllerContext, fieldManager } from '../context.ts';
import { headOf } from '../picture/lookup.ts';

/**
 * Sees to it that the config of a rollout carries our label, which makes it one group with its versions and lets
 * us see its content. Needed again whenever the config was deleted and has come back.
 */
export async function labelOriginal(
  { client, picture }: ControllerContext,
  { spec, metadata }: ConfigRollout,
  signal: AbortSignal,
): Promise<void> {
  const { kind, name } = spec.config;
  const { namespace = '' } = metadata;
  const head = headOf(picture, namespace, kind, name);
  // It may be made later, or be a version of something else.
  if (head === undefined || head.deleting || versionHead(head) !== undefined) return;
  if (head.labels[labels.config] === configLabelValue(name)) return;
  const body = { metadata: { uid: head.uid, labels: { [labels.config]: configLabelValue(name) } } };
  const patch = { type: 'merge' as const, body };
  await client
    .patch(configResources[kind], { namespace, name }, patch, { fieldManager, signal })
    .catch((error: unknown) => {
      // It went away. A Conflict is for another look: the server also answers it when too many write at once.
      if (!isNotFound(error)) throw error;
    });
}
