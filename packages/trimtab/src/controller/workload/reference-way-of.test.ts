import { expect, test } from 'vitest';
import { annotations } from '../../api/names.ts';
import { isWayCertain, type ReferenceWays, referenceWayOf } from './reference-way-of.ts';

const ways = (isCertain: boolean, problem?: string): ReferenceWays => ({
  usual: 'template',
  podAdmission: { problem: () => problem, isCertain: () => isCertain },
  unblocked: ['kube-system', 'trimtab-system'],
});
const workload = (way: 'template' | 'admission', namespace = 'shop') => ({
  namespace,
  annotations: { [annotations.references]: way },
});

test('the way of a workload that wants admission is certain when the state of admission is', () => {
  expect(isWayCertain(ways(false), workload('admission'))).toBe(false);
  expect(isWayCertain(ways(true, 'missing'), workload('admission'))).toBe(true);
  expect(referenceWayOf(ways(true, 'missing'), workload('admission'))).toBe('template');
  expect(referenceWayOf(ways(true), workload('admission'))).toBe('admission');
});

test('the way of others is always certain', () => {
  expect(isWayCertain(ways(false), workload('template'))).toBe(true);
  expect(isWayCertain(ways(false), workload('admission', 'kube-system'))).toBe(true);
  expect(
    isWayCertain({ usual: 'admission', podAdmission: undefined, unblocked: [] }, workload('admission')),
  ).toBe(true);
});
