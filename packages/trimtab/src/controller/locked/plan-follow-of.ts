import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { type FollowPlan, planFollow } from '../../core/version/follow-plan.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import { configMetadataOf, originalOf, orphanedVersions, versionsOf } from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';
import { wrongName } from '../version/wrong-name.ts';

/** Plans how the config of a rollout follows its current version, from the cache. */
export function planFollowOf(
  { cluster, followDenials }: Pick<ControllerContext, 'cluster' | 'followDenials'>,
  rollout: ConfigRollout,
): FollowPlan<VersionMetadata> {
  const { metadata, spec, status } = rollout;
  // Versions of an earlier rollout that are not adopted yet may include the current one.
  const isUnknown = metadata.deletionTimestamp !== undefined || wrongName(rollout) !== undefined;
  if (spec.release !== 'Locked' || isUnknown || orphanedVersions(cluster, rollout).length > 0)
    return { follow: 'nothing' };
  const { namespace = '', name = '' } = metadata;
  return planFollow({
    release: spec.release,
    ...spec.config,
    live: originalOf(cluster, rollout),
    versions: versionsOf(cluster, rollout),
    current: status?.current?.object,
    typeOf: ({ kind, object }) =>
      configMetadataOf(cluster, namespace, kind, object)?.annotations[annotations.originalType],
    denial: followDenials.of(`${namespace}/${name}`),
  });
}
