import { expect, test } from 'vitest';
import { planRemoval, type RolloutUse } from './unused-rollout.ts';

const unused: RolloutUse = { configExists: false, referenced: false, inAdvance: false };
const afterMs = 300_000;
const plan = (use: Partial<RolloutUse>, since: number | undefined, now: number) =>
  planRemoval({ ...unused, ...use }, { since, now, afterMs });

test.each([
  ['its config exists', { configExists: true }],
  ['something references one of its versions', { referenced: true }],
  ['it was created for a config that is still to come', { inAdvance: true }],
])('a rollout is kept while %s, however long that takes', (_, use) => {
  expect(plan(use, 0, 10 * afterMs)).toEqual({ plan: 'keep' });
});

test('the wait begins when the rollout is first seen unused', () => {
  expect(plan({}, undefined, 7_000)).toEqual({ plan: 'wait', since: 7_000, leftMs: afterMs });
});

test('the wait goes on from where it began', () => {
  expect(plan({}, 7_000, 8_000)).toEqual({ plan: 'wait', since: 7_000, leftMs: afterMs - 1_000 });
});

test('a rollout that was unused all the time is removed', () => {
  expect(plan({}, 7_000, 7_000 + afterMs - 1)).toMatchObject({ plan: 'wait', leftMs: 1 });
  expect(plan({}, 7_000, 7_000 + afterMs)).toEqual({ plan: 'remove' });
});
