import { type ConfigKind, templateReferences, writtenName } from '../../core/references/references.ts';
import type { AdmissionRequest } from './admission-review.ts';
import type { AdmissionOptions } from './admit-workload.ts';

/**
 * Leaves references to a Secret as they are written where the ServiceAccount of the workload does not allow its current
 * version: its pods would be refused. The reconcilers do the same, and a condition says why.
 */
export async function onlyMountable(
  { namespace, object }: AdmissionRequest,
  options: AdmissionOptions,
  signal: AbortSignal,
): Promise<AdmissionOptions> {
  const mountable = options.mountableSecrets;
  const template = object.spec?.template ?? {};
  const references = templateReferences(template);
  const user = { namespace, serviceAccount: template.spec?.serviceAccountName || 'default', references };
  await mountable.learn([user], signal);
  if (!mountable.limits(user)) return options;
  const allowed = (kind: ConfigKind, config: string, version: string | undefined) => {
    const its = references.filter((each) => each.kind === kind && writtenName(each) === config);
    return version !== undefined && mountable.allows(user, its, version) ? version : undefined;
  };
  return {
    ...options,
    lookup(its) {
      const lookup = options.lookup(its);
      return { ...lookup, current: (kind, config) => allowed(kind, config, lookup.current(kind, config)) };
    },
    async ensureFirstVersion(its, kind, config, within) {
      return allowed(kind, config, await options.ensureFirstVersion(its, kind, config, within));
    },
  };
}
