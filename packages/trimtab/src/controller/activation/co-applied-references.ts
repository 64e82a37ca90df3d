import { type ConfigKey, configKey } from '../../core/references/config-key.ts';
import { writtenName } from '../../core/references/references.ts';
import { type ReferenceWays, referenceWayOf } from '../workload/reference-way-of.ts';
import type { ObservedGroup } from './observe.ts';

type Observed = Pick<ObservedGroup['workloads'][number], 'workload' | 'configOf'> & {
  state: Pick<ObservedGroup['workloads'][number]['state'], 'isReloaded'>;
};

/**
 * The references to a config that several managers apply. A reference that names the config itself, for a reload or because
 * admission writes the version into each pod, stays as they wrote it.
 */
export function coAppliedReferences(
  ways: ReferenceWays,
  { workload, state, configOf }: Observed,
  config: ConfigKey,
): string[] {
  if (state.isReloaded || referenceWayOf(ways, workload) === 'admission') return [];
  return workload.references.flatMap((reference) => {
    const { kind, pointer } = reference;
    const original = configOf(kind, writtenName(reference));
    const appliers = workload.owners.get(pointer)?.appliers ?? [];
    if (original === undefined || configKey(kind, original) !== config || appliers.length < 2) return [];
    return [
      `${workload.kind} ${workload.name}, spec.template${pointer.replaceAll('/', '.')}: ${appliers.join(', ')}`,
    ];
  });
}
