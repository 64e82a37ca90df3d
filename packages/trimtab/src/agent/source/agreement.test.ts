import { describe, expect, test } from 'vitest';
import { agreementWaitMs } from './agreement.ts';

const answered = (assigned?: string) => ({ hasAnswered: true, ...(assigned && { assigned }) });
const silent = { hasAnswered: false };

describe('configs wait for each other', () => {
  test.each([
    ['the same assignment', [answered('x'), answered('x')], 0],
    ['another assignment', [answered('x'), answered('y')], 1_000],
    ['no assignment, for a pod without a workload', [answered(), answered()], 0],
    ['an assignment, and a config that is not managed', [answered('x'), answered()], 0],
    ['an assignment, and no answer for another config', [answered('x'), silent], 1_000],
    ['no answer at all', [silent, silent], 0],
  ])('with %s', (_, assignments, waitMs) => {
    expect(agreementWaitMs(assignments, undefined, 5_000)).toBe(waitMs);
  });

  test('for a second since they began to differ', () => {
    const differing = [answered('x'), answered('y')];
    expect(agreementWaitMs(differing, 5_000, 5_400)).toBe(600);
    expect(agreementWaitMs(differing, 5_000, 6_000)).toBe(0);
    expect(agreementWaitMs(differing, 5_000, 9_000)).toBe(0);
  });
});
