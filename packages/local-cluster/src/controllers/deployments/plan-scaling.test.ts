import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type DeploymentTraits,
  deploymentOf,
  type SetTraits,
  setOf,
} from '../../../test/support/workload-objects.ts';
import { deploymentSnapshot, totalReplicas } from './deployment-snapshot.ts';
import { limitsOf } from './limits.ts';
import { planScaling, wasScaled } from './plan-scaling.ts';

/** The ReplicaSet named `new` has the Deployment's template. */
function seen(traits: DeploymentTraits, sets: Record<string, SetTraits>) {
  const made = Object.entries(sets).map(([name, each], index) =>
    setOf(name, { image: name === 'new' ? 'v1' : `of ${name}`, made: index, ...each }),
  );
  return deploymentSnapshot(deploymentOf(traits), made);
}

const sizes = (...args: Parameters<typeof seen>) =>
  Object.fromEntries(planScaling(seen(...args)).map(({ set, to }) => [set.metadata.name, to]));

test.each<[string, DeploymentTraits, Record<string, SetTraits>, Record<string, number>]>([
  ['the only one grows', { replicas: 5 }, { new: { replicas: 3 } }, { new: 5 }],
  ['the only one shrinks', { replicas: 1 }, { old: { replicas: 3 }, new: { replicas: 0 } }, { old: 1 }],
  ['nothing, when it has its size', { replicas: 3 }, { new: { replicas: 3 } }, {}],
  [
    'the newest, when none has pods',
    { replicas: 2 },
    { old: { replicas: 0 }, new: { replicas: 0 } },
    { new: 2 },
  ],
  [
    'the youngest of the old, when none is new',
    { replicas: 2 },
    { a: { replicas: 0 }, b: { replicas: 0 } },
    { b: 2 },
  ],
  [
    'old ones end, when the new one has all it needs',
    { replicas: 3 },
    { old: { replicas: 2 }, new: { replicas: 3, desired: 3 } },
    { old: 0 },
  ],
  [
    'both grow in proportion',
    { replicas: 20, maxSurge: 0, maxUnavailable: 1 },
    { old: { replicas: 5, max: 10 }, new: { replicas: 5, max: 10 } },
    { old: 10, new: 10 },
  ],
  [
    'the larger gets more',
    { replicas: 15, maxSurge: 3 },
    { old: { replicas: 8, max: 13 }, new: { replicas: 5, max: 13 } },
    { old: 11, new: 7 },
  ],
  [
    'both shrink in proportion',
    { replicas: 5, maxSurge: 0, maxUnavailable: 1 },
    { old: { replicas: 6, max: 10 }, new: { replicas: 4, max: 10 } },
    { old: 3, new: 2 },
  ],
  [
    'what is left over goes to the newer of two equals',
    { replicas: 7, maxSurge: 0, maxUnavailable: 1 },
    { old: { replicas: 3, max: 6 }, new: { replicas: 3, max: 6, available: 0 } },
    { old: 3, new: 4 },
  ],
  [
    'all end, when there is to be none',
    { replicas: 0 },
    { old: { replicas: 3, max: 6 }, new: { replicas: 2, max: 6 } },
    { old: 0, new: 0 },
  ],
  [
    'a missing annotation: by the size that the status tells',
    { replicas: 20, maxSurge: 0, maxUnavailable: 1, status: { replicas: 10 } },
    { old: { replicas: 6 }, new: { replicas: 4 } },
    { old: 12, new: 8 },
  ],
  [
    'nothing, when several have pods and it recreates',
    { replicas: 9, recreate: true },
    { old: { replicas: 3 }, new: { replicas: 3 } },
    {},
  ],
])('scaling: %s', (_, traits, sets, expected) => {
  expect(sizes(traits, sets)).toEqual(expected);
});

test('a Deployment was scaled when a ReplicaSet with pods remembers another size', () => {
  const scaled = (desired: number | undefined, replicas = 3) =>
    wasScaled(seen({ replicas: 3 }, { new: { replicas, ...(desired !== undefined && { desired }) } }));
  expect([scaled(3), scaled(4), scaled(undefined), scaled(4, 0)]).toEqual([false, true, false, false]);
});

test('shared out, growth is exactly what is allowed, and no shrinking goes too far', () => {
  const sizesBefore = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(sizesBefore, fc.nat(60), fc.nat(10), (before, replicas, maxSurge) => {
      const max = before.reduce((sum, each) => sum + each);
      const sets = Object.fromEntries(
        before.map((size, index) => [
          index === 0 ? 'new' : `s${index}`,
          { replicas: size, available: 0, max },
        ]),
      );
      const now = seen({ replicas, maxSurge, maxUnavailable: 1 }, sets);
      const plan = planScaling(now);
      const allowed = replicas === 0 ? 0 : replicas + limitsOf(now.deployment).maxSurge;
      expect(plan).toHaveLength(before.length);
      expect(plan.every(({ to }) => to >= 0)).toBe(true);
      const after = totalReplicas(
        plan.map(({ set, to }) => ({ ...set, spec: { ...set.spec, replicas: to } })),
      );
      expect(after).toBeGreaterThanOrEqual(allowed);
      // Rounding can leave surplus pods when many small ReplicaSets scale down. The rolling update removes them.
      expect(after).toBeLessThanOrEqual(Math.max(allowed, max));
      if (allowed >= max || replicas === 0) expect(after).toBe(allowed);
    }),
  );
});
