import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { afterResult, initialState, type ProbeKind, type ProbeResult, rulesOf } from './probe-machine.ts';

const good: ProbeResult = { is: 'success' };
const bad: ProbeResult = { is: 'failure', message: 'no' };
const unasked: ProbeResult = { is: 'error', message: 'no such port' };
const verdicts = (kind: ProbeKind, thresholds: { good?: number; bad?: number }, results: ProbeResult[]) => {
  const rules = rulesOf({ successThreshold: thresholds.good ?? 1, failureThreshold: thresholds.bad ?? 3 });
  let state = initialState(kind);
  return results.map((result) => {
    state = afterResult(state, result, rules);
    return state.verdict;
  });
};

describe('a verdict', () => {
  test.each([
    ['a container is not ready until it says so', 'readiness', {}, [bad, good], ['failure', 'success']],
    [
      'one bad answer is not yet a failure',
      'readiness',
      {},
      [good, bad, bad, bad],
      ['success', 'success', 'success', 'failure'],
    ],
    [
      'a good answer in between starts the count anew',
      'liveness',
      { bad: 2 },
      [bad, good, bad, bad],
      ['success', 'success', 'success', 'failure'],
    ],
    [
      'ready again after as many good ones as asked',
      'readiness',
      { good: 2, bad: 1 },
      [good, good, bad, good, good],
      ['failure', 'success', 'failure', 'failure', 'success'],
    ],
    [
      'a startup probe says nothing until a threshold is met',
      'startup',
      { bad: 2 },
      [bad, bad],
      ['unknown', 'failure'],
    ],
    [
      'what could not be asked changes nothing',
      'liveness',
      { bad: 1 },
      [unasked, unasked, bad],
      ['success', 'success', 'failure'],
    ],
  ] as const)('%s', (_, kind, thresholds, results, expected) => {
    expect(verdicts(kind, thresholds, [...results])).toEqual(expected);
  });

  test('is what the last run of equal answers says, once it is long enough', () => {
    const answers = fc.array(fc.constantFrom(good, bad), { minLength: 1, maxLength: 30 });
    const threshold = fc.integer({ min: 1, max: 4 });
    fc.assert(
      fc.property(answers, threshold, threshold, (results, goodAt, badAt) => {
        const last = results.at(-1) ?? good;
        const run = results.length - 1 - results.findLastIndex(({ is }) => is !== last.is);
        const verdict = verdicts('readiness', { good: goodAt, bad: badAt }, results).at(-1);
        if (run >= (last.is === 'success' ? goodAt : badAt)) expect(verdict).toBe(last.is);
      }),
    );
  });
});

test('what a probe leaves out has the defaults of Kubernetes', () => {
  expect(rulesOf({})).toEqual({
    initialDelayMs: 0,
    periodMs: 10_000,
    timeoutMs: 1000,
    successThreshold: 1,
    failureThreshold: 3,
  });
});
