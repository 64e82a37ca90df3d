import { timestamp } from '../../objects/timestamp.ts';
import type { Condition, Deployment } from '../../objects/workloads.ts';

/** A condition without its timestamps, which are added when it is set. */
export type News = Pick<Condition, 'type' | 'status'> & { reason: string; message: string };

/** The largest value of progressDeadlineSeconds means that there is no deadline. */
const never = 0x7fffffff;

export function hasDeadline({ spec }: Deployment): boolean {
  return spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== never;
}

export function conditionOf(conditions: readonly Condition[] | undefined, type: string) {
  return conditions?.find((each) => each.type === type);
}

/** Leaves the conditions unchanged when status and reason are the same. A changed condition moves to the end. */
export function withCondition(before: readonly Condition[], news: News, now: number): Condition[] {
  const current = conditionOf(before, news.type);
  if (current?.status === news.status && current.reason === news.reason) return [...before];
  return replaced(before, news, now);
}

/** Replaces the condition even when only its time changes: each step of progress restarts the deadline. */
export function replaced(before: readonly Condition[], news: News, now: number): Condition[] {
  const current = conditionOf(before, news.type);
  const time = timestamp(now);
  const since = current?.status === news.status ? current.lastTransitionTime : undefined;
  const { type, status, reason, message } = news;
  return [
    ...without(before, type),
    { type, status, lastUpdateTime: time, lastTransitionTime: since ?? time, reason, message },
  ];
}

export function without(before: readonly Condition[], type: string): Condition[] {
  return before.filter((each) => each.type !== type);
}

/** The Progressing condition of a Deployment that was paused or resumed. It suspends the deadline during the pause. */
export function pauseNews(deployment: Deployment): News | undefined {
  const current = conditionOf(deployment.status?.conditions, 'Progressing');
  if (!hasDeadline(deployment) || current?.reason === 'ProgressDeadlineExceeded') return undefined;
  const isPaused = deployment.spec.paused === true;
  if (isPaused === (current?.reason === 'DeploymentPaused')) return undefined;
  const [reason, message] = isPaused
    ? ['DeploymentPaused', 'Deployment is paused']
    : ['DeploymentResumed', 'Deployment is resumed'];
  return { type: 'Progressing', status: 'Unknown', reason, message };
}
