import { labels } from '../../api/names.ts';
import { type ConfigKey, configKey } from '../references/config-key.ts';
import { type ConfigKind, writtenName } from '../references/references.ts';
import { parseManage } from './opt-in.ts';
import type { Workload } from './reduce-workload.ts';

export interface OptOutContext {
  /** The config that a name refers to: the config of a version, or the name itself. */
  originalName(kind: ConfigKind, name: string): string;
  /** Configs that were managed for the workload before. */
  before: ReadonlySet<ConfigKey>;
  /** See AdoptionInput. */
  obstacleTo(config: ConfigKey): string | undefined;
}

/** The configs of which the template of a workload references a version that Trimtab assigned. */
export function assignedConfigs(
  { labels: own, references }: Pick<Workload, 'labels' | 'references'>,
  { originalName, before }: Pick<OptOutContext, 'originalName' | 'before'>,
): Set<ConfigKey> {
  const isOurs = own[labels.assigned] !== undefined;
  return new Set(
    references
      .map((reference) => ({ ...reference, config: originalName(reference.kind, writtenName(reference)) }))
      .filter(({ name, config }) => name !== config)
      .map(({ kind, config }) => configKey(kind, config))
      .filter((config) => isOurs || before.has(config)),
  );
}

/**
 * Whether pods of the workload may be replaced. A workload that opted out stays listed until it is reverted; while that
 * waits, the workload is released, judged and rolled back like any other.
 */
export function mayReplacePods(
  workload: Pick<Workload, 'annotations' | 'labels' | 'references'>,
  context: OptOutContext,
): boolean {
  return !hasOptedOut(workload) || optOutObstacles(workload, context).length > 0;
}

export function hasOptedOut({ annotations }: Pick<Workload, 'annotations'>): boolean {
  const manage = parseManage(annotations);
  return 'value' in manage && manage.value.mode === 'none';
}

/** Why a workload that has opted out cannot be set back to its configs yet. */
export function optOutObstacles(
  workload: Pick<Workload, 'labels' | 'references'>,
  context: OptOutContext,
): string[] {
  return [...assignedConfigs(workload, context)].flatMap((config) => context.obstacleTo(config) ?? []);
}
