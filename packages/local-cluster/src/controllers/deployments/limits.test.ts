import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deploymentOf } from '../../../test/support/workload-objects.ts';
import { limitsOf } from './limits.ts';

test.each([
  // replicas, maxSurge, maxUnavailable → surge, unavailable
  [10, '25%', '25%', 3, 2],
  [1, '25%', '25%', 1, 0],
  [4, '25%', '25%', 1, 1],
  [3, '33%', '33%', 1, 0],
  [2, '0%', '1%', 0, 1],
  [1, '0%', '1%', 0, 1],
  [2, '1%', '25%', 1, 0],
  [2, '1%', '0%', 1, 0],
  [0, '25%', '25%', 0, 0],
  [2, 0, 5, 0, 2],
  [2, 5, 0, 5, 0],
  [3, '200%', '100%', 6, 3],
])(
  '%i replicas with a surge of %s and %s unavailable: %i more, %i less',
  (replicas, up, down, surge, less) => {
    const deployment = deploymentOf({ replicas, maxSurge: up, maxUnavailable: down });
    expect(limitsOf(deployment)).toEqual({ maxSurge: surge, maxUnavailable: less });
  },
);

test('a Deployment that recreates has no such limits', () => {
  expect(limitsOf(deploymentOf({ recreate: true }))).toEqual({ maxSurge: 0, maxUnavailable: 0 });
});

test('one of both always leaves room for a step, and no more may be missing than there are', () => {
  const amount = fc.oneof(
    fc.nat(20),
    fc.nat(100).map((each) => `${each}%`),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), amount, amount, (replicas, up, down) => {
      const limits = limitsOf(deploymentOf({ replicas, maxSurge: up, maxUnavailable: down }));
      expect(limits.maxSurge + limits.maxUnavailable).toBeGreaterThan(0);
      expect(limits.maxUnavailable).toBeLessThanOrEqual(replicas);
    }),
  );
});
