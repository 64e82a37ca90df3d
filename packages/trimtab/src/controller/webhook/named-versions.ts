import { configKey } from '../../core/references/config-key.ts';
import { templateReferences } from '../../core/references/references.ts';
import type { WorkloadKind } from '../../core/workload/observed.ts';
import { existingVersions, unknownObjects } from '../cache/unknown-versions.ts';
import type { ControllerContext } from '../context.ts';
import type { UnknownVersions } from './admit-workload.ts';

/** Reads the API server only for names that the cache does not know. */
export function unknownVersions(
  context: Pick<ControllerContext, 'cluster' | 'direct' | 'log'>,
): UnknownVersions {
  return async ({ kind, namespace, name = '', object, oldObject }, signal) => {
    const references = [object, oldObject].flatMap((each) => templateReferences(each?.spec?.template ?? {}));
    const workload = { namespace, kind: kind.kind as WorkloadKind, name, references };
    try {
      const found = await existingVersions(context, unknownObjects(context.cluster, workload), signal);
      return found.map(({ object: version, config }) => [configKey(config.kind, config.name), version]);
    } catch (err) {
      // The reconcilers wait until the watch has delivered the versions.
      context.log.warn(
        { object: { kind: kind.kind, namespace, name }, err },
        'reading a version at admission failed',
      );
      return [];
    }
  };
}
