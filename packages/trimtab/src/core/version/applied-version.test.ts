import { expect, test } from 'vitest';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { appliedState, assignedVersion, rolloutSummary, summaryKey } from './applied-version.ts';

const version = (n: number) => ({ version: `1.0.${n}`, object: `foo-${n}` });
const rollout = (status: object): ConfigRollout =>
  ({ metadata: { uid: 'u', resourceVersion: '7' }, status }) as unknown as ConfigRollout;

const atRest = rolloutSummary(rollout({ phase: 'Current', current: version(0) }));
const moving = rolloutSummary(rollout({ phase: 'BeingCurrent', current: version(0), target: version(1) }));
const goingBack = rolloutSummary(rollout({ phase: 'RollingBack', current: version(0), target: version(1) }));

test.each([
  ['what is current', atRest, 'foo-0', 'current'],
  ['another one', atRest, 'foo-1', 'not-current'],
  ['what is current until another one is', moving, 'foo-0', 'current'],
  ['the one that is about to be', moving, 'foo-1', 'being-current'],
  ['one that is being rolled back', goingBack, 'foo-1', 'not-current'],
])('the state of %s', (_, marks, object, state) => {
  expect(appliedState(marks, object)).toBe(state);
});

test('a pod runs the version that its spec names', () => {
  expect(assignedVersion({ versions: ['foo-1'], original: false }, atRest)).toBe('foo-1');
  expect(assignedVersion({ versions: ['foo-1'], original: true }, atRest)).toBe('foo-1');
});

test('a pod whose spec names the original runs what is current, also while another one is on its way', () => {
  expect(assignedVersion({ versions: [], original: true }, atRest)).toBe('foo-0');
  expect(assignedVersion({ versions: [], original: true }, moving)).toBe('foo-0');
});

test('before the first version there is nothing to run', () => {
  expect(assignedVersion({ versions: [], original: true }, rolloutSummary(rollout({})))).toBeUndefined();
});

test('only what somebody could see makes a difference', () => {
  const later = rolloutSummary({ ...rollout({ phase: 'Current', current: version(0), updated: '1/2' }) });
  expect(summaryKey(later)).toBe(summaryKey(atRest));
  expect(summaryKey(moving)).not.toBe(summaryKey(atRest));
  expect(summaryKey(goingBack)).toBe(summaryKey(atRest));
});
