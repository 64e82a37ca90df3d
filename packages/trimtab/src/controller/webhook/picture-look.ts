import { currentHead } from '../../core/activation/current-version.ts';
import { parseRejections } from '../../core/activation/rejection.ts';
import { versionHead } from '../../core/version/version-head.ts';
import { headOf, rolloutOf, strayVersions, versionsOf } from '../picture/lookup.ts';
import type { Picture } from '../picture/picture.ts';
import { adoptionOf } from '../workload/adoption-of.ts';
import type { WorkloadLook } from './workload-look.ts';

/** The webhook's questions, answered from the picture, by the same rules as the reconcilers have. */
export function pictureLook(
  picture: Picture,
  reloaderAnnotations: boolean,
): (namespace: string) => WorkloadLook {
  return (namespace) => ({
    managed: (workload, references) =>
      adoptionOf({ picture, reloaderAnnotations, workload, references }).managed,
    version(kind, object) {
      const head = headOf(picture, namespace, kind, object);
      const version = head === undefined ? undefined : versionHead(head);
      if (version === undefined) return undefined;
      const { config, name, state, rejected } = version;
      const reason = parseRejections(rejected)?.reason ?? 'its pods failed';
      return { config, name, rejected: state === 'rejected' ? reason : undefined };
    },
    current(kind, config) {
      const rollout = rolloutOf(picture, namespace, kind, config);
      if (rollout === undefined) return undefined;
      // As reconcilers have it: see observe.ts.
      if (strayVersions(picture, rollout).length > 0) return undefined;
      return currentHead(versionsOf(picture, rollout), rollout.status)?.object;
    },
  });
}
