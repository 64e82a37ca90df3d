import type { ConfigRollout } from '../../api/config-rollout.ts';
import { intervalLeftMs, tooEarlyMs } from '../../core/activation/too-early.ts';
import { parsePausePeriod } from '../../core/from-reloader/pause-period.ts';
import { managedWorkloads } from '../../core/workload/managed-workloads.ts';
import { rolloutsManaging, workloadAt } from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';
import { readsReloader } from '../workload/reads-reloader.ts';

type Context = Pick<ControllerContext, 'cluster' | 'clock' | 'reloaderAnnotations'>;

/**
 * Time until the next automatic activation: `minIntervalSeconds` of the rollout limits it for configs that change often,
 * and the pause period of a Deployment limits it for all configs of that Deployment.
 */
export function untilNextActivationMs(context: Context, rollout: ConfigRollout): number {
  if (rollout.spec.version !== undefined) return 0;
  return Math.max(tooEarlyMs(rollout, context.clock.now()), ...pausesLeftMs(context, rollout));
}

function pausesLeftMs(context: Context, rollout: ConfigRollout): number[] {
  const { cluster, clock, reloaderAnnotations } = context;
  if (!reloaderAnnotations) return [];
  return managedWorkloads(rollout).map((key) => {
    const workload = workloadAt(cluster, rollout.metadata.namespace ?? '', key);
    if (workload === undefined || !readsReloader(context, workload)) return 0;
    const period = parsePausePeriod(workload);
    if (!('value' in period) || period.value === 0) return 0;
    return intervalLeftMs(rolloutsManaging(cluster, workload), period.value, clock.now());
  });
}
