import { timestamp } from '../../objects/timestamp.ts';
import type { Condition, Deployment } from '../../objects/workloads.ts';

/** What a condition is to say; when is added by whoever sets it. */
export type News = Pick<Condition, 'type' | 'status'> & { reason: string; message: string };

/** No deadline is the largest number that the field can hold. */
const never = 0x7fffffff;

export function hasDeadline({ spec }: Deployment): boolean {
  return spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== never;
}

export function conditionOf(conditions: readonly Condition[] | undefined, type: string) {
  return conditions?.find((each) => each.type === type);
}

/** Says nothing new when status and reason are the same; what changes goes to the end of the list. */
export function withCondition(before: readonly Condition[], news: News, now: number): Condition[] {
  const current = conditionOf(before, news.type);
  if (current?.status === news.status && current.reason === news.reason) return [...before];
  return replaced(before, news, now);
}

/** Also when nothing but the time is new: each step forward counts. */
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

/** What has to be said about a Deployment that was paused or resumed, so that its deadline does not run meanwhile. */
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
