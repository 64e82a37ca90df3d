import type { Probe } from '../../objects/pod.ts';

export type ProbeKind = 'startup' | 'readiness' | 'liveness';

/** Result of one probe. `error` means that the probe could not run, which says nothing about the container. */
export type ProbeResult = { is: 'success' } | { is: 'failure' | 'error'; message: string };

export interface ProbeRules {
  initialDelayMs: number;
  periodMs: number;
  timeoutMs: number;
  successThreshold: number;
  failureThreshold: number;
}

export function rulesOf(probe: Probe): ProbeRules {
  return {
    initialDelayMs: (probe.initialDelaySeconds ?? 0) * 1000,
    periodMs: (probe.periodSeconds ?? 10) * 1000,
    timeoutMs: (probe.timeoutSeconds ?? 1) * 1000,
    successThreshold: probe.successThreshold ?? 1,
    failureThreshold: probe.failureThreshold ?? 3,
  };
}

/** A verdict, and the number of consecutive results equal to the last one. */
export interface ProbeState {
  verdict: 'success' | 'failure' | 'unknown';
  last: 'success' | 'failure' | undefined;
  run: number;
}

/** The state before the first probe. A container counts as not ready until its readiness probe succeeds. */
export function initialState(kind: ProbeKind): ProbeState {
  const verdict = { startup: 'unknown', readiness: 'failure', liveness: 'success' } as const;
  return { verdict: verdict[kind], last: undefined, run: 0 };
}

/** The verdict changes after as many equal consecutive results as its threshold requires. */
export function afterResult(state: ProbeState, result: ProbeResult, rules: ProbeRules): ProbeState {
  if (result.is === 'error') return state;
  const run = state.last === result.is ? state.run + 1 : 1;
  const threshold = result.is === 'success' ? rules.successThreshold : rules.failureThreshold;
  return { verdict: run >= threshold ? result.is : state.verdict, last: result.is, run };
}
