import type { ConfigBody } from '../../api/config-body.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { versionObject } from '../../core/version/version-object.ts';
import type { PlannedVersion } from '../../core/version/version-plan.ts';
import type { ControllerContext } from '../context.ts';
import { assignees } from './assignees.ts';

/** The object of a version that the content of a live config becomes. */
export function plannedVersion(
  context: Pick<ControllerContext, 'cluster' | 'reloaderAnnotations'>,
  rollout: ConfigRollout,
  {
    body,
    hash,
    plan,
    isCurrent,
  }: { body: ConfigBody; hash: string; plan: PlannedVersion; isCurrent: boolean },
): ConfigBody {
  return versionObject(rollout, body, {
    name: plan.name,
    sequence: plan.sequence,
    contentHash: hash,
    createdBy: 'edit',
    state: isCurrent ? 'current' : 'not-current',
    ...((isCurrent || rollout.spec.release === 'Auto') && { assignedTo: assignees(context, rollout) }),
  });
}
