import { adopt } from '../../core/adoption.ts';
import { configKey } from '../../core/assignment.ts';
import { parseManage } from '../../core/opt-in.ts';
import type { ConfigKind } from '../../core/references.ts';
import { reloaderManagement } from '../../core/reloader-annotations.ts';
import type { ControllerContext } from '../context.ts';
import { headOf, workloadAt } from '../picture/lookup.ts';

/** Workloads of a rollout whose opt-in is gone, for its condition. */
export function optInLost(
  context: ControllerContext,
  namespace: string,
  config: { kind: ConfigKind; name: string },
  keys: readonly string[],
): string[] {
  const { picture, reloaderAnnotations } = context;
  const head = headOf(picture, namespace, config.kind, config.name);
  return keys.filter((key) => {
    const workload = workloadAt(picture, namespace, key);
    if (workload === undefined) return false;
    const manage = parseManage(workload.annotations);
    const references = [config];
    const managements = [
      'problem' in manage ? ({ mode: 'unsaid' } as const) : manage.value,
      ...(reloaderAnnotations
        ? [reloaderManagement(workload.annotations, references, () => head?.annotations)]
        : []),
    ];
    const ownedBy = () => head?.ownerReferences.some(({ uid }) => uid === workload.uid) ?? false;
    const before = new Set([configKey(config.kind, config.name)]);
    return adopt({ managements, references, ownedBy, before }).lost.size > 0;
  });
}
