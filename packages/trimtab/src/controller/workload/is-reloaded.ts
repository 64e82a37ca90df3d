import { deliveryMode } from '../../core/reload/delivery-mode.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import type { ControllerContext } from '../context.ts';

/** Whether the pods of a workload are reloaded: it requests that, and this installation injects the agent. */
export function isReloadedWorkload(
  { reloads }: Pick<ControllerContext, 'reloads'>,
  { annotations, templateAnnotations }: Pick<Workload, 'annotations' | 'templateAnnotations'>,
): boolean {
  return reloads && deliveryMode(annotations, templateAnnotations) === 'reload';
}
