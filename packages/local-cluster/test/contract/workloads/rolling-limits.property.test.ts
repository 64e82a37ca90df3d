import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { openEngineWithPods } from '@trimtab/test-bed/engines/engine-with-pods.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Target } from '../api/target.ts';
import { Stage } from './stage.ts';
import { type Limits, staysWithin } from './within-limits.ts';

let engine: Engine;
let target: Target;

beforeAll(async () => {
  engine = await openEngineWithPods();
  target = await Target.open(engine);
});

afterAll(() => target?.close());

const amount = fc.oneof(
  fc.nat(4),
  fc.nat(100).map((each) => `${each}%`),
);
const isNothing = (each: number | string) => each === 0 || each === '0%';
const limits = fc
  .record<Limits>({ replicas: fc.integer({ min: 1, max: 7 }), maxSurge: amount, maxUnavailable: amount })
  // The API server rejects an update for which both limits are zero.
  .filter(({ maxSurge, maxUnavailable }) => !(isNothing(maxSurge) && isNothing(maxUnavailable)));

let made = 0;

test('an update with any maxSurge and maxUnavailable keeps within them at every state that can be seen', async () => {
  const stage = await Stage.on(target);
  await fc.assert(
    fc.asyncProperty(fc.array(limits, { minLength: 4, maxLength: 4 }), async (combinations) => {
      // Several updates run concurrently, so that they also interfere with each other.
      const names = combinations.map(() => `p${made++}`);
      const states = await Promise.all(
        combinations.map((each, index) => staysWithin(stage, names[index] ?? '', each)),
      );
      expect(Math.min(...states)).toBeGreaterThan(2);
      await Promise.all(
        names.map((name) => stage.client.raw({ method: 'DELETE', path: target.apps(`deployments/${name}`) })),
      );
    }),
    // A failure is reported without shrinking, because names of earlier runs are taken.
    { numRuns: 5, endOnFailure: true },
  );
}, 240_000);
