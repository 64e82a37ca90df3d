import { configResources } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { RetentionPlan } from '../../core/retention/retention.ts';
import { rolloutOwner } from '../../core/version/version-object.ts';
import type { ControllerContext } from '../context.ts';
import { patchVersionMetadata } from '../version/patch-version-metadata.ts';
import type { ObservedVersion } from './rollout-versions.ts';

type Writes = Record<keyof RetentionPlan<unknown>, (version: ObservedVersion) => Promise<void>>;

/** Writes for each part of a plan. Each write applies only to the observed state of the version. */
export function retentionWrites(
  { client, log }: Pick<ControllerContext, 'client' | 'log'>,
  rollout: ConfigRollout,
  signal: AbortSignal,
): Writes {
  const owner = rolloutOwner(rollout);
  return {
    async own(version) {
      const ownerReferences = [...version.metadata.ownerReferences, owner];
      await patchVersionMetadata(client, version, { ownerReferences }, signal);
    },
    async release(version) {
      const ownerReferences = version.metadata.ownerReferences.filter(({ uid }) => uid !== owner.uid);
      // The garbage collector never deletes an object whose last owner reference was removed.
      if (ownerReferences.length === 0) return;
      const written = await patchVersionMetadata(client, version, { ownerReferences }, signal);
      if (written) log.info(about(version), 'version released to the revisions that own it');
    },
    async delete(version) {
      const { kind, namespace, name, uid } = version.metadata;
      const preconditions = { uid, resourceVersion: version.resourceVersion };
      try {
        await client.delete(
          configResources[kind],
          { namespace, name },
          { preconditions, signal, lowPriority: true },
        );
        log.info(about(version), 'version deleted; it was beyond the history limit and not in use');
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    },
  };
}

function about({ name: version, metadata: { kind, namespace, name } }: ObservedVersion) {
  return { object: { kind, metadata: { namespace, name } }, version };
}
