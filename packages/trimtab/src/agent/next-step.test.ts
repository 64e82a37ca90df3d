import { expect, test } from 'vitest';
import { nextStep, type Situation, type Step } from './next-step.ts';

const situation = (rest: Partial<Situation>): Situation => ({
  ...{ desired: undefined, accepted: undefined, rejected: undefined, retry: undefined },
  ...rest,
});

const nothing: Step = { do: 'nothing' };
const apply: Step = { do: 'apply' };

test.each<[string, Partial<Situation>, Step]>([
  ['no config is known', {}, nothing],
  ['a config is missing', { accepted: 'a' }, nothing],
  ['the first set arrives', { desired: 'a' }, apply],
  ['the application has accepted the set', { desired: 'a', accepted: 'a' }, nothing],
  ['the configs change', { desired: 'b', accepted: 'a' }, apply],
  ['the set was rejected', { desired: 'b', accepted: 'a', rejected: 'b' }, nothing],
  ['the first set was rejected', { desired: 'a', rejected: 'a' }, nothing],
  ['the configs change after a rejection', { desired: 'c', accepted: 'a', rejected: 'b' }, apply],
  ['the configs change back', { desired: 'a', accepted: 'a', rejected: 'b' }, nothing],
  ['a retry is due later', { desired: 'b', retry: { hash: 'b', at: 130 } }, { do: 'wait', ms: 30 }],
  ['a retry is due', { desired: 'b', retry: { hash: 'b', at: 100 } }, apply],
  ['a retry is overdue', { desired: 'b', retry: { hash: 'b', at: 70 } }, apply],
  ['a retry of another set is due later', { desired: 'c', retry: { hash: 'b', at: 130 } }, apply],
  [
    'a retry is due later and the configs changed back',
    { desired: 'a', accepted: 'a', retry: { hash: 'b', at: 130 } },
    nothing,
  ],
])('%s', (_, given, step) => {
  expect(nextStep(situation(given), 100)).toEqual(step);
});
