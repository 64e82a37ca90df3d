import type { Taint } from '../../objects/node.ts';
import type { Toleration } from '../../objects/pod.ts';

export function tolerates(
  { key = '', operator = 'Equal', value = '', effect = '' }: Toleration,
  taint: Taint,
): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return (operator === 'Equal' || operator === '') && value === (taint.value ?? '');
}

/** The first taint that prevents scheduling on the node. PreferNoSchedule taints do not. */
export function untolerated(taints: readonly Taint[], tolerations: readonly Toleration[]): Taint | undefined {
  return taints
    .filter(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute')
    .find((taint) => !tolerations.some((each) => tolerates(each, taint)));
}
