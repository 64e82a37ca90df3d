import { expect, test } from 'vitest';
import { deploymentOf, setOf } from '../../../test/support/workload-objects.ts';
import {
  annotationsOfNewSet,
  maxAnnotation,
  nextRevision,
  revisionOf,
  sizeAnnotations,
  sizeIn,
} from './revisions.ts';

const revision = 'deployment.kubernetes.io/revision';
const history = 'deployment.kubernetes.io/revision-history';

test('the next revision is one more than the highest of the old ones, whatever is no number', () => {
  const sets = [setOf('a', { revision: 3 }), setOf('b', { revision: 'x' }), setOf('c')];
  expect(sets.map(revisionOf)).toEqual([3, undefined, 0]);
  expect(nextRevision(sets)).toBe(4);
  expect(nextRevision([])).toBe(1);
});

test('a ReplicaSet takes the annotations of its Deployment, but for those that are about one object only', () => {
  const annotations = {
    'kubernetes.io/change-cause': 'a new colour',
    'kubectl.kubernetes.io/last-applied-configuration': '{}',
    [revision]: '9',
    [history]: '1',
    'deployment.kubernetes.io/desired-replicas': '5',
  };
  expect(annotationsOfNewSet(deploymentOf({ annotations }), { mine: 'stays' }, 2)).toEqual({
    mine: 'stays',
    'kubernetes.io/change-cause': 'a new colour',
    [revision]: '2',
  });
});

test.each<[string, Record<string, string>, number, Record<string, string>]>([
  ['what it served before is remembered', { [revision]: '1' }, 3, { [revision]: '3', [history]: '1' }],
  [
    'that is added to what it served earlier',
    { [revision]: '4', [history]: '1,2' },
    5,
    { [revision]: '5', [history]: '1,2,4' },
  ],
  ['it never goes down', { [revision]: '7' }, 3, { [revision]: '7' }],
  ['one that is no number stays', { [revision]: 'x', a: 'b' }, 3, { [revision]: 'x', a: 'b' }],
])('when a ReplicaSet gets a new revision, %s', (_, before, next, after) => {
  expect(annotationsOfNewSet(deploymentOf(), before, next)).toEqual(after);
});

test('a history that gets too long loses its oldest revisions', () => {
  const long = Array.from({ length: 500 }, (_, index) => String(1000 + index)).join(',');
  const after = annotationsOfNewSet(deploymentOf(), { [revision]: '2000', [history]: long }, 2001)[history];
  expect(after?.length).toBeLessThanOrEqual(2000);
  expect(after?.endsWith(',1499,2000')).toBe(true);
  expect(after?.startsWith('1101,')).toBe(true);
});

test('sizes are written down, and read when they are sizes', () => {
  expect(sizeAnnotations(deploymentOf({ replicas: 4, maxSurge: '50%' }))).toEqual({
    'deployment.kubernetes.io/desired-replicas': '4',
    [maxAnnotation]: '6',
  });
  const read = (text: string) =>
    sizeIn(setOf('a', { annotations: { [maxAnnotation]: text } }), maxAnnotation);
  expect(['4', '0', '-1', 'x', '4294967295'].map(read)).toEqual([4, 0, undefined, undefined, undefined]);
  expect(sizeIn(setOf('a'), maxAnnotation)).toBeUndefined();
});
