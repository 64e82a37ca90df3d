import type { ConfigRollout } from 'trimtab/api/config-rollout.ts';

/** What a person reads when a rollout went from one state to another; nothing when that is no news. */
export function happening(before: ConfigRollout | undefined, after: ConfigRollout): string | undefined {
  const { name } = after.spec.config;
  const [then, now] = [before?.status, after.status];
  if (now === undefined) return undefined;
  const { target } = now;
  if (target !== undefined && target.activation !== then?.target?.activation) {
    const by = target.by === undefined ? '' : `, asked for by ${target.by}`;
    return `${name} ${target.version} is on its way${by}`;
  }
  if (now.phase === 'RollingBack' && then?.phase !== 'RollingBack' && target !== undefined)
    return `${name} ${target.version} fails: ${troubleOf(after) ?? 'going back'}`;
  if (then?.target !== undefined && target === undefined) return ended(after, then.target);
  if (now.phase === 'Paused' && then?.phase !== 'Paused') return `${name} is paused`;
  if (now.phase === 'RollbackFailed' && then?.phase !== 'RollbackFailed')
    return `${name} could not be rolled back: ${conditionOf(after)}`;
  if (then?.current === undefined && now.current !== undefined)
    return `${name} ${now.current.version} is current`;
  return undefined;
}

function ended(
  rollout: ConfigRollout,
  { version, startedAt }: NonNullable<NonNullable<ConfigRollout['status']>['target']>,
): string | undefined {
  const { name } = rollout.spec.config;
  const { status } = rollout;
  const finished = status?.history?.find((each) => each.version === version)?.finishedAt;
  const took = finished === undefined ? '' : ` in ${seconds(startedAt, finished)} s`;
  if (status?.current?.version === version) return `${name} ${version} is current${took}`;
  if (status?.phase === 'Failed') return `${name} ${version} rolled back${took}: ${conditionOf(rollout)}`;
  return `${name} ${version} was given up${took}`;
}

function seconds(from: string, to: string): number {
  return Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
}

function troubleOf({ status }: ConfigRollout): string | undefined {
  return status?.workloads?.find(({ message }) => message !== undefined)?.message;
}

/** Why it is degraded, without what the line has said already. */
function conditionOf({ status }: ConfigRollout): string {
  const message =
    status?.conditions?.find(({ type }) => type === 'Degraded')?.message ?? 'see kubectl describe';
  return message.replace(/^version \S+ was rolled back: /, '').replace(/\. Edit the config.*$/, '');
}
