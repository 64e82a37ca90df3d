import { expect, test } from 'vitest';
import { annotations } from '../../api/names.ts';
import type { AdmissionRequest } from './admission-review.ts';
import { stampRollout } from './stamp-rollout.ts';

const by = '/metadata/annotations/trimtab.dev~1requested-by';
const which = '/metadata/annotations/trimtab.dev~1requested-version';
const bobs = { [annotations.requestedBy]: 'bob', [annotations.requestedVersion]: '1.0.0' };

const rollout = (version?: string, its?: Record<string, string>) => ({
  metadata: { name: 'configmap-foo', ...(its && { annotations: its }) },
  spec: version === undefined ? {} : { version },
});
type Rollout = ReturnType<typeof rollout>;

function patchFor(object: Rollout, oldObject: Rollout | null, username = 'anna') {
  const request: AdmissionRequest<Rollout> = {
    uid: 'r1',
    kind: { kind: 'ConfigRollout' },
    namespace: 'default',
    operation: oldObject === null ? 'CREATE' : 'UPDATE',
    object,
    oldObject,
    userInfo: { username },
  };
  return stampRollout(request).patch;
}

test('who names a version is written down, together with which one', () => {
  const stamp = { [annotations.requestedBy]: 'anna', [annotations.requestedVersion]: '1.0.1' };
  const first = [{ op: 'add', path: '/metadata/annotations', value: stamp }];
  expect(patchFor(rollout('1.0.1'), rollout())).toEqual(first);
  expect(patchFor(rollout('1.0.1'), null)).toEqual(first);
});

test('who names the next one takes the place of the one before', () => {
  expect(patchFor(rollout('1.0.1', bobs), rollout('1.0.0', bobs))).toEqual([
    { op: 'add', path: by, value: 'anna' },
    { op: 'add', path: which, value: '1.0.1' },
  ]);
});

test('who takes a wish back takes the name along', () => {
  expect(patchFor(rollout(undefined, bobs), rollout('1.0.0', bobs))).toEqual([
    { op: 'remove', path: by },
    { op: 'remove', path: which },
  ]);
  expect(patchFor(rollout(), rollout('1.0.0'))).toEqual([]);
});

test('a version that another program names does not skip the bake as the last request did', () => {
  const skipping = (id: string) => ({ [annotations.requestId]: id, [annotations.skipBake]: id });
  const skip = { op: 'remove', path: '/metadata/annotations/trimtab.dev~1skip-bake' };
  const before = rollout('1.0.0', skipping('a'));
  expect(patchFor(rollout('1.0.1', skipping('a')), before)).toContainEqual(skip);
  expect(patchFor(rollout('1.0.1', skipping('b')), before)).not.toContainEqual(skip);
  expect(patchFor(rollout(undefined, skipping('a')), before)).toEqual([skip]);
});

test.each<[string, Rollout, Rollout | null, string?]>([
  ['somebody changes anything else', rollout('1.0.0', bobs), rollout('1.0.0', bobs)],
  ['one is made without a version', rollout(), null],
  ['a backup is restored', rollout('1.0.0', bobs), null],
  ['the API server names nobody', rollout('1.0.0'), null, ''],
])('nothing is written when %s', (_, object, oldObject, username) => {
  expect(patchFor(object, oldObject, username)).toEqual([]);
});
