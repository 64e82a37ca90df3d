import type { ConfigRollout } from 'trimtab/api/config-rollout.ts';

/** Returns the line that describes the change of a rollout; undefined when nothing that concerns a user changed. */
export function describeChange(before: ConfigRollout | undefined, after: ConfigRollout): string | undefined {
  const { name } = after.spec.config;
  const [then, now] = [before?.status, after.status];
  if (now === undefined) return undefined;
  const { target } = now;
  if (target !== undefined && target.activation !== then?.target?.activation) {
    const by = target.by === undefined ? '' : `, requested by ${target.by}`;
    return `${name} ${target.version}: rolling out${by}`;
  }
  if (now.phase === 'RollingBack' && then?.phase !== 'RollingBack' && target !== undefined)
    return [`${name} ${target.version}: rolling back`, workloadProblem(after)].filter(Boolean).join(': ');
  if (then?.target !== undefined && target === undefined) return ended(after, then.target);
  if (now.phase === 'Paused' && then?.phase !== 'Paused') return `${name}: paused`;
  if (now.phase === 'Parked' && then?.phase !== 'Parked' && target !== undefined)
    return [`${name} ${target.version}: parked`, workloadProblem(after)].filter(Boolean).join(': ');
  if (now.phase === 'RollbackFailed' && then?.phase !== 'RollbackFailed')
    return `${name}: rollback failed: ${conditionOf(after)}`;
  if (then?.current === undefined && now.current !== undefined)
    return `${name} ${now.current.version}: current`;
  return undefined;
}

function ended(
  rollout: ConfigRollout,
  { version, startedAt }: NonNullable<NonNullable<ConfigRollout['status']>['target']>,
): string | undefined {
  const { name } = rollout.spec.config;
  const { status } = rollout;
  const finished = status?.history?.find((each) => each.version === version)?.finishedAt;
  const took = finished === undefined ? '' : ` after ${seconds(startedAt, finished)} s`;
  if (status?.current?.version === version) return `${name} ${version}: current${took}`;
  if (status?.phase === 'Failed') return `${name} ${version}: rolled back${took}: ${conditionOf(rollout)}`;
  if (status?.phase === 'Aborted') return `${name} ${version}: aborted${took}: all workloads left`;
  return `${name} ${version}: cancelled${took}`;
}

function seconds(from: string, to: string): number {
  return Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
}

function workloadProblem({ status }: ConfigRollout): string | undefined {
  return status?.workloads?.find(({ message }) => message !== undefined)?.message;
}

/** The message of the condition Degraded, without the parts that the line already contains. */
function conditionOf({ status }: ConfigRollout): string {
  const message =
    status?.conditions?.find(({ type }) => type === 'Degraded')?.message ?? 'see kubectl describe';
  return message.replace(/^Version \S+ was rolled back: /, '').replace(/\. Edit the config.*$/, '');
}
