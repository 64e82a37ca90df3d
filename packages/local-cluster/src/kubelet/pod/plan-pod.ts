import type { Container, Pod } from '../../objects/pod.ts';
import { backOffUntil, goDuration } from './back-off.ts';
import { phaseOf } from './container-record.ts';
import { containersOf, mayRestart, type PodContainer } from './container-roles.ts';
import { planInit } from './plan-init.ts';
import { planStops, type StopOrder, stopForProbe } from './plan-stops.ts';
import type { Ending, PodView } from './pod-view.ts';

export interface PodPlan {
  /** Containers to start one at a time, in this order; empty while one is starting. */
  start: string[];
  stop: StopOrder[];
  /** Containers in back-off whose status must report it. */
  backOff: { name: string; reason: 'CrashLoopBackOff' | 'ImagePullBackOff'; message: string }[];
  /** Next time at which the plan changes without an event. */
  nextCheckAt?: number;
  ending?: Ending;
  /** The pod terminates and none of its containers runs any more. */
  ended: boolean;
}

/** Decides which containers to start and stop now, like computePodActions of the real kubelet. */
export function planPod(view: PodView): PodPlan {
  const ending = endingOf(view);
  if (ending !== undefined) return planEnd(view, ending);
  const init = planInit(view);
  const mains = containersOf(view.pod.spec).filter(({ role }) => role === 'main');
  const toStart = init.initialized ? mains.filter((each) => isDue(view, each)) : [];
  const isOver =
    init.failed || (init.initialized && toStart.length === 0 && !mains.some((each) => isAlive(view, each)));
  if (isOver) return planEnd(view, 'finished');
  return withTimes(view, [...init.start, ...toStart]);
}

function withTimes(view: PodView, wanted: PodContainer[]): PodPlan {
  const { records, now } = view;
  const plan: PodPlan = { start: [], stop: stopForProbe(view), backOff: [], ended: false };
  const moments = [deadlineOf(view)];
  for (const { container } of wanted) {
    const wait = waitOf(view, container);
    if (wait === undefined) plan.start.push(container.name);
    else if (wait.shown !== undefined && now >= wait.shownAt) {
      plan.backOff.push({ name: container.name, ...wait.shown });
      moments.push(wait.until);
    } else moments.push(wait.until, wait.shown && wait.shownAt);
  }
  const isBusy = !view.placed || [...records.values()].some(({ starting }) => starting);
  if (isBusy) plan.start = [];
  const next = moments.filter((each) => each !== undefined);
  if (next.length > 0) plan.nextCheckAt = Math.min(...next);
  return plan;
}

interface Wait {
  until: number;
  /** Time from which the status reports `shown`; before that, it reports the failure itself. */
  shownAt: number;
  shown?: Omit<PodPlan['backOff'][number], 'name'>;
}

function waitOf(view: PodView, { name, image }: Container): Wait | undefined {
  const { records, now, limits, pod } = view;
  const record = records.get(name);
  const reference = restartReference(view, name);
  const until = reference === undefined ? undefined : backOffUntil(record?.backOff, reference, now, limits);
  if (reference !== undefined && until !== undefined) {
    const delayMs = record?.backOff?.ms ?? 0;
    const message = `back-off ${goDuration(delayMs)} restarting failed container=${name} pod=${podText(pod)}`;
    return { until, shownAt: shownAfter(reference, delayMs), shown: { reason: 'CrashLoopBackOff', message } };
  }
  const { retryAt, failedAt = 0, pullProblem } = record ?? {};
  if (retryAt === undefined || retryAt <= now) return undefined;
  const message = `Back-off pulling image "${image}": ErrImagePull: ${pullProblem}`;
  return {
    until: retryAt,
    shownAt: shownAfter(failedAt, retryAt - failedAt),
    ...(pullProblem !== undefined && { shown: { reason: 'ImagePullBackOff', message } as const }),
  };
}

/** The real kubelet reports a back-off at its next sync of the pod. This delay has the same effect. */
function shownAfter(since: number, delayMs: number): number {
  return since + Math.min(1_000, delayMs / 10);
}

/** Time from which the back-off is counted. After a stop by a probe it is the exit before, as in the real kubelet. */
export function restartReference({ records }: PodView, name: string): number | undefined {
  const { exit, lastExit } = records.get(name) ?? {};
  return (exit?.byProbe ? lastExit : exit)?.finishedAt;
}

function planEnd(view: PodView, ending: Ending): PodPlan {
  const stop = planStops(view, ending);
  const isQuiet = [...view.records.values()].every((each) => ['none', 'exited'].includes(phaseOf(each)));
  return { start: [], stop, backOff: [], ending, ended: isQuiet };
}

function endingOf(view: PodView): Ending | undefined {
  const { pod, records, leaving, now } = view;
  if (leaving !== undefined) return leaving;
  if (pod.metadata.deletionTimestamp !== undefined) return 'deleted';
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return 'finished';
  const deadline = deadlineOf(view);
  if (deadline !== undefined && now >= deadline) return 'deadline';
  const ranBefore = [...records.values()].some(({ fromBefore }) => fromBefore);
  return ranBefore && pod.spec.restartPolicy === 'Never' ? 'finished' : undefined;
}

function deadlineOf({ pod, startedAt }: PodView): number | undefined {
  const seconds = pod.spec.activeDeadlineSeconds;
  return seconds === undefined ? undefined : startedAt + seconds * 1000;
}

function isDue({ pod, records }: PodView, each: PodContainer): boolean {
  const record = records.get(each.container.name);
  const phase = phaseOf(record);
  if (phase === 'none') return true;
  return phase === 'exited' && record?.exit !== undefined && mayRestart(each, pod, record.exit);
}

function isAlive({ records }: PodView, { container }: PodContainer): boolean {
  return ['starting', 'running'].includes(phaseOf(records.get(container.name)));
}

/** The pod's name in messages of the kubelet. */
export function podText({ metadata: { name, namespace, uid } }: Pod): string {
  return `${name}_${namespace}(${uid})`;
}
