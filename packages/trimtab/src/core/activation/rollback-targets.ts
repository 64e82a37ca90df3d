import type { ConfigRollout } from '../../api/config-rollout.ts';
import { configKey, readConfigKey } from '../references/config-key.ts';
import type { ConfigKind } from '../references/references.ts';
import { managedWorkloads } from '../workload/managed-workloads.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';
import { parseAssignmentRecord } from './assignment-record.ts';

/**
 * Returns the version objects that a workload is reverted to if an activation in progress fails. A rollback reverts all
 * managed configs of the workload, so the activation may be that of any of them. `record` is the workload's annotation
 * `trimtab.dev/assignment`, which stays when the activation has ended.
 */
export function rollbackTargets(
  workload: WorkloadKey,
  record: string | undefined,
  rollouts: readonly Pick<ConfigRollout, 'metadata' | 'spec' | 'status'>[],
): { kind: ConfigKind; name: string }[] {
  const moving = rollouts.filter(({ status }) => status?.target !== undefined);
  const previous = moving.length > 0 ? parseAssignmentRecord(record)?.previous : undefined;
  if (previous === undefined) return [];
  const mayRevert = moving.some(
    (rollout) =>
      previous.has(configKey(rollout.spec.config.kind, rollout.spec.config.name)) ||
      managedWorkloads(rollout).includes(workload),
  );
  return mayRevert ? [...previous].map(([key, name]) => ({ kind: readConfigKey(key).kind, name })) : [];
}
