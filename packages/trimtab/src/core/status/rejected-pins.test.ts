import { expect, test } from 'vitest';
import type { WorkloadState } from '../activation/types.ts';
import { rejectedPins } from './rejected-pins.ts';

const version = (name: string, object: string, rejected = false) => ({
  name,
  object,
  contentHash: `hash of ${name}`,
  sequence: 1,
  labelledCurrent: false,
  currentCount: 0,
  rejections: rejected ? [new Map()] : [],
  aborted: false,
});
const good = version('1.0.0', 'foo-0');
const bad = version('1.0.1', 'foo-1', true);
const older = version('0.9', 'foo-9');
const state = { config: 'ConfigMap/foo' as const, versions: [good, bad, older], current: good };

const web = (object: string, assignment: WorkloadState['assignment'] = 'pinned') => ({
  key: 'Deployment/web' as const,
  assignment,
  references: new Map([['ConfigMap/foo' as const, object]]),
});

test('a workload that was undone onto rejected content is told, with the way out', () => {
  expect(rejectedPins(state, [web('foo-1')], () => 4)).toEqual([
    {
      workload: 'Deployment/web',
      message:
        'Deployment web was set to version 1.0.1, which was rolled back before; to recover: kubectl rollout undo deployment/web --to-revision=4',
    },
  ]);
});

test('without a good revision there is still an end in sight', () => {
  expect(rejectedPins(state, [web('foo-1')], () => undefined)[0]?.message).toContain('the next activation');
});

test.each([
  ['was undone onto a good version', web('foo-9')],
  ['is on its way back from the rejected one', web('foo-1', 'ours')],
  ['names no version at all', web('foo')],
])('nothing is said of a workload that %s', (_, workload) => {
  expect(rejectedPins(state, [workload], () => 4)).toEqual([]);
});

test('nothing is said when the version has become current since', () => {
  expect(rejectedPins({ ...state, current: bad }, [web('foo-1')], () => 4)).toEqual([]);
});
