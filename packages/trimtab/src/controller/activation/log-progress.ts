import type { ConfigRollout, ConfigRolloutStatus } from '../../api/config-rollout.ts';
import type { GroupMemory, PlannedActivation } from '../../core/activation/plan-group.ts';
import { decidingWorkload } from '../../core/activation/types.ts';
import { newProblem, type Transition, transitions } from '../../core/status/transitions.ts';
import { problemText } from '../../core/status/workload-lines.ts';
import { keyOfRollout } from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';

const messages: Record<Transition['reason'], string> = {
  ActivationStarted: 'activation started',
  VersionCurrent: 'version is current',
  RolledBack: 'version rolled back',
  Aborted: 'activation aborted',
};

/** Logs each transition of a rollout. Call it after the status was written, so each transition is logged once. */
export function logTransitions(
  { log }: ControllerContext,
  rollout: ConfigRollout,
  after: ConfigRolloutStatus,
  planned: PlannedActivation | undefined,
): void {
  const { metadata, status: before } = rollout;
  const where = { namespace: metadata.namespace, config: keyOfRollout(rollout) };
  for (const { reason, version, activation } of transitions(before, after))
    log.info({ ...where, version, activation }, messages[reason]);
  const deciding = planned && decidingWorkload(planned.plan);
  if (deciding === undefined || newProblem(before, after) === undefined) return;
  const { version, activation } = after.target ?? {};
  const { workload, problem, failed } = deciding;
  log.info(
    { ...where, version, activation, workload, reason: problem.reason, problem: problemText(problem) },
    failed ? 'workload failed' : 'workload cannot be judged',
  );
}

/**
 * Logs each wave when it opens. A new leader has no memory of a running activation and does not log the waves that the
 * previous leader opened.
 */
export function logOpenedWaves(
  { log }: ControllerContext,
  namespace: string,
  before: GroupMemory,
  planned: readonly PlannedActivation[],
  isNew: (activation: string) => boolean,
): void {
  for (const { activation, plan } of planned) {
    const { openWave: wave } = plan.memory;
    const known = before.get(activation.id);
    if (wave === undefined || wave === known?.openWave) continue;
    if (known === undefined && !isNew(activation.id)) continue;
    for (const { config, target } of activation.members)
      log.info({ namespace, config, version: target.name, activation: activation.id, wave }, 'wave opened');
  }
}
