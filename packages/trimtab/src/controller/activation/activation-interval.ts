import type { ConfigRollout } from '../../api/config-rollout.ts';
import { tooEarlyMs } from '../../core/activation/too-early.ts';
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
  const { cluster, reloaderAnnotations } = context;
  if (!reloaderAnnotations) return [];
  return managedWorkloads(rollout).map((key) => {
    const workload = workloadAt(cluster, rollout.metadata.namespace ?? '', key);
    if (workload === undefined || !readsReloader(context, workload)) return 0;
    const period = parsePausePeriod(workload);
    if (!('value' in period) || period.value === 0) return 0;
    return leftMs(context, rolloutsManaging(cluster, workload), period.value);
  });
}

/** What is left of an interval since the last activation of these rollouts. */
function leftMs({ clock }: Context, rollouts: readonly ConfigRollout[], intervalMs: number): number {
  const ends = rollouts.flatMap(({ status }) => status?.history?.[0]?.finishedAt ?? []);
  if (ends.length === 0) return 0;
  const last = Math.max(...ends.map((end) => Date.parse(end)));
  // Bounded by the interval, in case the clock was set back.
  return Math.max(0, Math.min(intervalMs, last + intervalMs - clock.now()));
}
