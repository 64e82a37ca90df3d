import { isReady, type Pod, referencesOf } from '../world.ts';
import { type BecomingCurrent, becomingCurrent, judgesOf } from './becoming-current.ts';
import type { Checker, Step } from './checker.ts';
import { WorkloadHistory } from './workload-history.ts';

interface PodPast {
  seenAt: number;
  app: string | undefined;
  references: string[];
  wasReady: boolean;
  /** In a way that fails an activation at once. */
  failure: string | undefined;
}

/**
 * Nothing becomes current that was not judged. A version that becomes current was healthy on at least one pod of every
 * workload that wanted pods and did not leave, no pod of it has failed, and not all workloads have left.
 */
export function judged(staleMs: number): Checker {
  const history = new WorkloadHistory();
  const pods = new Map<string, PodPast>();

  const observePod = ({ entry }: Step): void => {
    const pod = entry.object as Pod;
    if (entry.kind !== 'Pod' || entry.gone) return;
    const { uid = '', labels } = pod.metadata;
    const past = pods.get(uid) ?? {
      seenAt: entry.at,
      app: labels?.['app'],
      references: referencesOf(pod),
      wasReady: false,
      failure: undefined,
    };
    past.wasReady ||= isReady(pod);
    past.failure ??= failureOf(pod);
    pods.set(uid, past);
  };

  const ofJudge = ({ version, at }: BecomingCurrent, user: string): string[] => {
    const past = history.of(user);
    const isRecent = (time = Number.NEGATIVE_INFINITY) => at - time < staleMs;
    const movedAt = past?.movedAt ?? at;
    // A workload that was scaled up from zero since has no pods that had to be awaited.
    if (past === undefined || past.emptyAt >= movedAt || isRecent(past.emptyAt)) return [];
    const its = [...pods.values()].filter(
      ({ app, references }) => user.endsWith(`/${app}`) && references.includes(version.key),
    );
    const failed = its.find(({ failure, seenAt }) => failure !== undefined && seenAt >= movedAt);
    if (failed !== undefined) return [`a pod of ${user} has failed on it: ${failed.failure}`];
    return its.some(({ wasReady }) => wasReady) ? [] : [`no pod of ${user} was ever Ready with it`];
  };

  const unjudged = (promoted: BecomingCurrent): string[] => {
    const { participants, left, hadWorkloads, at } = promoted;
    const leftAt = Math.max(history.goneAt, ...left.map((user) => history.of(user)?.movedAt ?? at));
    const isForsaken = participants.length === 0 && (left.length > 0 || hadWorkloads);
    if (isForsaken && at - leftAt >= staleMs) return ['all workloads have left'];
    return judgesOf(promoted).flatMap(({ user }) => ofJudge(promoted, user));
  };

  return {
    step(step) {
      const promoted = becomingCurrent(step, history);
      history.observe(step);
      observePod(step);
      return promoted === undefined
        ? []
        : unjudged(promoted).map(
            (why) => `${step.entry.key}: ${promoted.version.name} became current, and ${why}`,
          );
    },
  };
}

function failureOf({ status }: Pod): string | undefined {
  for (const { restartCount, state } of status?.containerStatuses ?? []) {
    const reason = state.waiting?.reason;
    if (reason === 'CrashLoopBackOff' || reason === 'CreateContainerConfigError') return reason;
    if (restartCount > 1) return `${restartCount} restarts`;
  }
  return undefined;
}
