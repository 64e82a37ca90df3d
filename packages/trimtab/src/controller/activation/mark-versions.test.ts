import { expect, test } from 'vitest';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import { type Marks, planMarks } from './mark-versions.ts';

const version = (object: string, state: string): VersionMetadata => ({
  namespace: 'shop',
  kind: 'ConfigMap',
  config: 'foo',
  object,
  uid: `uid of ${object}`,
  rolloutUid: 'uid of configmap-foo',
  name: object,
  sequence: 1,
  contentHash: `hash of ${object}`,
  state,
  currentCount: state === 'current' ? 4 : 0,
  rejected: undefined,
  inUse: true,
  madeByHand: false,
  ownerReferences: [],
});

const marking = (mods: Partial<Marks>): Marks => ({
  current: 'foo-1',
  target: undefined,
  rejection: undefined,
  ...mods,
});

const rejection = { set: new Map(), reason: 'web: it crashed' };

test.each<[string, states: [old: string, next: string], Partial<Marks>, string[]]>([
  ['an activation begins', ['current', 'not-current'], { target: 'foo-2' }, ['foo-2 being-current']],
  [
    'it is done: the new one gets the mark before the old one loses it',
    ['current', 'being-current'],
    { current: 'foo-2' },
    ['foo-2 current', 'foo-1 not-current'],
  ],
  [
    'it was done for another leader, whose status is still on its way: no mark is taken away',
    ['not-current', 'current'],
    { target: 'foo-2' },
    ['foo-1 current'],
  ],
  [
    'a crash left two marks, and the status is from before: both stay until it is done once more',
    ['current', 'current'],
    { target: 'foo-2' },
    [],
  ],
  [
    'it fails after a crash left two marks: it is made sure that the old one has its own',
    ['current', 'current'],
    { target: 'foo-2', rejection },
    ['foo-1 made sure of', 'foo-2 rejected'],
  ],
  ['all is as it should be', ['current', 'not-current'], {}, []],
])('%s', (_, [old, next], mods, wanted) => {
  const plan = planMarks([version('foo-1', old), version('foo-2', next)], marking(mods));
  const told = plan.map(({ version: { object }, operations }) => {
    const change = operations.find(({ op, path }) => op === 'add' && path.endsWith('state'));
    return `${object} ${change !== undefined && 'value' in change ? change.value : 'made sure of'}`;
  });
  expect(told).toEqual(wanted);
});
