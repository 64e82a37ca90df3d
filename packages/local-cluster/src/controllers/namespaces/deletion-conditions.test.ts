import { expect, test } from 'vitest';
import { deletionConditions } from './deletion-conditions.ts';

const early = '2026-01-01T00:00:00Z';
const late = '2026-01-01T00:00:09Z';
const left = [
  { kind: 'secrets.', finalizers: [['test.dev/keep']] },
  { kind: 'configmaps.', finalizers: [['test.dev/keep', 'test.dev/hold'], []] },
];

const told = (conditions: ReturnType<typeof deletionConditions>) =>
  conditions.map(({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`);

test('an empty namespace tells that all is well', () => {
  expect(told(deletionConditions([], [], early))).toEqual([
    'NamespaceDeletionDiscoveryFailure False ResourcesDiscovered: All resources successfully discovered',
    'NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions: All legacy kube types successfully parsed',
    'NamespaceDeletionContentFailure False ContentDeleted: All content successfully deleted, may be waiting on finalization',
    'NamespaceContentRemaining False ContentRemoved: All content successfully removed',
    'NamespaceFinalizersRemaining False ContentHasNoFinalizers: All content-preserving finalizers finished',
  ]);
});

test('what is left, and which finalizers hold it, is told by the alphabet', () => {
  expect(told(deletionConditions([], left, early)).slice(3)).toEqual([
    'NamespaceContentRemaining True SomeResourcesRemain: Some resources are remaining: configmaps. has 2 resource instances, secrets. has 1 resource instances',
    'NamespaceFinalizersRemaining True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: test.dev/hold in 1 resource instances, test.dev/keep in 2 resource instances',
  ]);
});

test('a condition keeps the time of its last turn, and others keep their place', () => {
  const foreign = { type: 'Foreign', status: 'True', reason: 'Any', message: '', lastTransitionTime: early };
  const first = deletionConditions([foreign], left, early);
  const then = deletionConditions(first, [], late);
  expect(then[0]).toEqual(foreign);
  const turned = then.filter(({ lastTransitionTime }) => lastTransitionTime === late).map(({ type }) => type);
  expect(turned).toEqual(['NamespaceContentRemaining', 'NamespaceFinalizersRemaining']);
  expect(deletionConditions(then, [], late)).toEqual(then);
});
