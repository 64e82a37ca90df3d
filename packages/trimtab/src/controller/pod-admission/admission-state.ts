/** How long a problem has to last before it counts, while nothing is known: a starting API server answers 403 and 404 for seconds. */
export const startMs = 15_000;
/** How long something that worked has to be missing: an upgrade of the manifests may replace it. */
const absentMs = 30_000;

/**
 * How long new policies have to be there before they count, unless a test says otherwise: each API server enforces them about
 * a second after it has stored them, and quietly admits pods as they are until then.
 */
export const usualSettleMs = 5_000;

/** What is known about the admission of pods in a namespace. */
export interface AdmissionState {
  /** Whether admission writes versions into pods; undefined while it is not certain. */
  works: boolean | undefined;
  /** Why it does not, also while that is not certain. */
  problem: string | undefined;
  /** What the last observation found, and the time since which all observations have found it. */
  seen: { works: boolean; since: number };
}

interface Observation {
  /** Monotonic time. */
  at: number;
  /** The observation before it failed, or there is none: what was in between is unknown. */
  isFirst: boolean;
  problem: string | undefined;
  /** A policy was created just before. */
  isYoung: boolean;
}

/**
 * Returns what is known after another observation. A change to the other way of referencing is a rolling update of all
 * workloads, so a problem counts only after it has lasted. New pods would run the live config if policies that were just
 * created counted at once.
 */
export function nextState(
  before: AdmissionState | undefined,
  { at, isFirst, problem, isYoung }: Observation,
  settleMs: number,
): AdmissionState {
  const works = problem === undefined;
  const lasts = before !== undefined && !isFirst && before.seen.works === works;
  const seen = { works, since: lasts ? before.seen.since : at };
  const lastsMs = at - seen.since;
  const isCertain = works
    ? (before?.works === undefined && !isYoung) || lastsMs >= settleMs
    : lastsMs >= (before?.works === true ? absentMs : startMs);
  const known = isCertain ? works : before?.works;
  const lastProblem = known === false ? before?.problem : undefined;
  return { works: known, problem: known === true ? undefined : (problem ?? lastProblem), seen };
}

/** Whether the next observation may change what is known. */
export function isSettled({ works, seen }: AdmissionState): boolean {
  return works === seen.works;
}
