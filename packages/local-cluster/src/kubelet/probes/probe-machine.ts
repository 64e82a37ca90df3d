import type { Probe } from '../../objects/pod.ts';

export type ProbeKind = 'startup' | 'readiness' | 'liveness';

/** How one probe went. `error`: it could not be asked, which says nothing about the container. */
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

/** A verdict, and how many results in a row have been like the last one. */
export interface ProbeState {
  verdict: 'success' | 'failure' | 'unknown';
  last: 'success' | 'failure' | undefined;
  run: number;
}

/** What holds before the first probe: nobody is sent to a container that has not said that it is ready. */
export function initialState(kind: ProbeKind): ProbeState {
  const verdict = { startup: 'unknown', readiness: 'failure', liveness: 'success' } as const;
  return { verdict: verdict[kind], last: undefined, run: 0 };
}

/** The verdict changes when as many results in a row as its threshold asks for were the same. */
export function afterResult(state: ProbeState, result: ProbeResult, rules: ProbeRules): ProbeState {
  if (result.is === 'error') return state;
  const run = state.last === result.is ? state.run + 1 : 1;
  const threshold = result.is === 'success' ? rules.successThreshold : rules.failureThreshold;
  return { verdict: run >= threshold ? result.is : state.verdict, last: result.is, run };
}
