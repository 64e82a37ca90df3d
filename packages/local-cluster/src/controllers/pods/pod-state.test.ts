import { expect, test } from 'vitest';
import type { Pod, PodStatus } from '../../objects/pod.ts';
import { availableInMs, isActive, isAvailable, isReady } from './pod-state.ts';

const since = '2026-01-01T00:00:00Z';
const at = (seconds: number) => Date.parse(since) + seconds * 1000;
const pod = (status?: PodStatus, deletionTimestamp?: string): Pod => ({
  metadata: { name: 'p', ...(deletionTimestamp && { deletionTimestamp }) },
  spec: { containers: [] },
  ...(status && { status }),
});
const ready = pod({ conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: since }] });
const unready = pod({ conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: since }] });

test.each([
  ['a new pod', pod(), true],
  ['a running pod', pod({ phase: 'Running' }), true],
  ['one that failed', pod({ phase: 'Failed' }), false],
  ['one that is done', pod({ phase: 'Succeeded' }), false],
  ['one that goes', pod({ phase: 'Running' }, since), false],
])('%s is active: %s', (_, each, active) => {
  expect(isActive(each)).toBe(active);
});

test.each([
  ['ready, nothing asked', ready, 0, 0, 0],
  ['ready for less than asked', ready, 10, 4, 6_000],
  ['ready for as long as asked', ready, 10, 10, 0],
  ['not ready', unready, 0, 100, undefined],
  ['no conditions yet', pod(), 0, 0, undefined],
])('%s', (_, each, minReadySeconds, seconds, left) => {
  expect(availableInMs(each, minReadySeconds, at(seconds))).toBe(left);
  expect(isAvailable(each, minReadySeconds, at(seconds))).toBe(left === 0);
});

test('ready is what the condition says', () => {
  expect([isReady(ready), isReady(unready), isReady(pod())]).toEqual([true, false, false]);
});
