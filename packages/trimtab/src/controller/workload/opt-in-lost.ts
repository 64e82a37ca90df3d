import { configKey } from '../../core/references/assignment.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import type { ControllerContext } from '../context.ts';
import { workloadAt } from '../picture/lookup.ts';
import { adoptionOf } from './adoption-of.ts';

/** Workloads of a rollout whose opt-in is gone, for its condition. */
export function optInLost(
  { picture, reloaderAnnotations }: ControllerContext,
  namespace: string,
  config: { kind: ConfigKind; name: string },
  keys: readonly string[],
): string[] {
  return keys.filter((key) => {
    const workload = workloadAt(picture, namespace, key);
    if (workload === undefined) return false;
    const adoption = adoptionOf({ picture, reloaderAnnotations, workload, references: [config] });
    return adoption.lost.has(configKey(config.kind, config.name));
  });
}
