import { type ConfigKey, configKey, readConfigKey } from '../../core/references/config-key.ts';
import { rolloutName } from '../../core/version/object-names.ts';
import { notMountable } from '../../core/workload/mountable-secrets.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import {
  configMetadataOf,
  configNamed,
  isOf,
  originalOf,
  orphanedVersions,
  rolloutNamedFor,
  versionsOf,
} from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';
import { planVersionOf } from '../version/plan-version-of.ts';
import { adoptionOf, referencedConfigs } from './adoption-of.ts';

/** A config that a workload opted in to, that its template names, and that has no version which its pods can use. */
export interface VersionlessConfig {
  config: ConfigKey;
  /** Its first version is about to be created. Assigning the other configs before would cause two rolling updates. */
  isPending: boolean;
  /** Why it has no version, for a condition. */
  reason: string;
}

type Context = Pick<ControllerContext, 'cluster' | 'reloaderAnnotations' | 'denials'>;

export function versionlessConfigs(
  context: Context,
  workload: Workload,
  isManaged: (config: ConfigKey) => boolean,
  isMountable: (config: ConfigKey) => boolean,
): VersionlessConfig[] {
  const { cluster, reloaderAnnotations } = context;
  const { namespace } = workload;
  const references = referencedConfigs(cluster, workload);
  const { managed } = adoptionOf({ cluster, reloaderAnnotations, workload, references });
  const named = new Set(
    workload.references
      .filter((reference) => configNamed(cluster, namespace, reference) === reference.name)
      .map(({ kind, name }) => configKey(kind, name)),
  );
  return [...managed]
    .filter((config) => named.has(config) && !isManaged(config))
    .map((config) =>
      isMountable(config)
        ? { config, ...whyVersionless(context, namespace, config) }
        : { config, isPending: false, reason: notMountable(workload.serviceAccount, config) },
    );
}

function whyVersionless(
  { cluster, denials }: Context,
  namespace: string,
  config: ConfigKey,
): Omit<VersionlessConfig, 'config'> {
  const { kind, name } = readConfigKey(config);
  const never = (reason: string) => ({ isPending: false, reason });
  const soon = { isPending: true, reason: 'it has no version yet' };
  if (cluster.configs[kind] === undefined) return never('the controller runs with --no-secrets');
  const metadata = configMetadataOf(cluster, namespace, kind, name);
  if (metadata === undefined || metadata.deleting) return never('it does not exist');
  const denial = denials.of(`${namespace}/${rolloutName(kind, name)}`);
  if (denial !== undefined) return never(`its version is refused: ${denial}`);
  const rollout = rolloutNamedFor(cluster, namespace, kind, name);
  if (rollout === undefined) return soon;
  if (!isOf(rollout, kind, name)) return never('the name of its ConfigRollout belongs to another config');
  const original = originalOf(cluster, rollout);
  if (original === undefined || orphanedVersions(cluster, rollout).length > 0) return soon;
  const plan = planVersionOf(cluster, rollout, original, versionsOf(cluster, rollout));
  return plan.make === 'nothing' && plan.problem !== undefined ? never(plan.problem.message) : soon;
}
