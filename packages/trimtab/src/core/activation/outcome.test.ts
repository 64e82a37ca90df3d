import { describe, expect, test } from 'vitest';
import {
  condition,
  currentVersion,
  finished,
  rolloutInState,
  targetVersion,
} from '../../../test/support/rollout-in-state.ts';
import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { abortOutcome, activationOutcome, editOutcome, type Goal, retryOutcome } from './outcome.ts';

const current: Goal = { is: 'current' };
const live = new Set(['10', '11']);
const observed = { generation: 3, liveResourceVersion: '11' };
const ready = condition('Ready', 'True', 'Current', 'Version 1.0.1 is current');
const rejected = condition('Degraded', 'True', 'Rejected', 'Version 1.0.2 was rolled back: pods failed');

const edited = (
  status: Partial<ConfigRolloutStatus>,
  more: Parameters<typeof rolloutInState>[1] = {},
  goal: Goal = current,
) => editOutcome(rolloutInState({ ...currentVersion('1.0.1'), observed, ...status }, more), live, goal);

describe('an edit', () => {
  test('is in progress until the controller has seen one of its states', () => {
    expect(editOutcome(undefined, live, current)).toMatchObject({ state: 'in-progress' });
    expect(editOutcome(rolloutInState(), live, current)).toMatchObject({ state: 'in-progress' });
    const older = { phase: 'Current', observed: { generation: 3, liveResourceVersion: '9' } } as const;
    expect(edited({ ...older, conditions: [ready] })).toEqual({
      state: 'in-progress',
      text: 'the controller to process the last edit of the config',
    });
    expect(
      edited({ phase: 'Current', observed: { ...observed, generation: 2 }, conditions: [ready] }),
    ).toMatchObject({
      state: 'in-progress',
    });
  });

  test('is released when the wanted version is current', () => {
    expect(edited({ phase: 'Current', conditions: [ready] })).toEqual({ state: 'current', version: '1.0.1' });
  });

  test.each<[string, Partial<ConfigRolloutStatus>]>([
    ['is being rolled out', { phase: 'BeingCurrent', ...targetVersion('1.0.2') }],
    ['is being rolled back', { phase: 'RollingBack', ...targetVersion('1.0.2'), conditions: [rejected] }],
    ['is parked', { phase: 'Parked', ...targetVersion('1.0.2') }],
    ['is paused', { phase: 'Paused', conditions: [condition('Ready', 'False', 'Paused', 'paused')] }],
    [
      'waits for a neighbour',
      {
        phase: 'Current',
        conditions: [condition('Ready', 'False', 'WaitingForOthers', 'Version 1.0.2 waits')],
      },
    ],
    [
      'waits for its interval',
      {
        phase: 'Current',
        conditions: [condition('Ready', 'False', 'WaitingForInterval', 'Version 1.0.2 waits')],
      },
    ],
  ])('that %s has no outcome yet', (_, status) => {
    expect(edited(status)).toMatchObject({ state: 'in-progress' });
  });

  test.each<[string, string, Partial<ConfigRolloutStatus>]>([
    ['was rolled back', 'rolled-back', { phase: 'Failed', conditions: [rejected] }],
    [
      'lacks a key',
      'failed',
      { phase: 'Failed', conditions: [condition('Degraded', 'True', 'KeyMissing', 'no key')] },
    ],
    [
      'was aborted',
      'aborted',
      {
        phase: 'Aborted',
        conditions: [condition('Degraded', 'True', 'Aborted', 'Version 1.0.2 was aborted')],
      },
    ],
    [
      'cannot become a version',
      'failed',
      { phase: 'Current', conditions: [condition('Degraded', 'True', 'VersionNameTaken', 'taken')] },
    ],
    [
      'cannot be taken back',
      'failed',
      {
        phase: 'RollbackFailed',
        ...targetVersion('1.0.2'),
        conditions: [condition('Degraded', 'True', 'RollbackFailed', 'denied')],
      },
    ],
  ])('that %s has failed', (_, state, status) => {
    expect(edited(status)).toMatchObject({ state, reason: expect.any(String) });
  });

  test('is released although a workload is pinned, but not everywhere', () => {
    const pinned = {
      phase: 'Current',
      conditions: [condition('Ready', 'False', 'Pinned', 'web is pinned')],
    } as const;
    expect(edited({ ...pinned, conditions: [...pinned.conditions] })).toMatchObject({ state: 'current' });
    expect(edited({ ...pinned, conditions: [...pinned.conditions] }, {}, { is: 'ready' })).toEqual({
      state: 'in-progress',
      text: 'all workloads to run version 1.0.1: web is pinned',
    });
  });

  test('is not judged by a status from before a retry or a request', () => {
    const failed = { phase: 'Failed', conditions: [rejected] } as const;
    const status = { ...failed, conditions: [...failed.conditions] };
    expect(edited(status, { annotations: { [annotations.retry]: 'now' } })).toMatchObject({
      state: 'in-progress',
    });
    expect(
      edited(status, { spec: { version: '1.0.2' }, annotations: { [annotations.requestId]: 'r2' } }),
    ).toMatchObject({ state: 'in-progress' });
  });
});

describe('a certain version', () => {
  const goal: Goal = { is: 'version', version: '1.0.2' };

  test('is waited for while another one is current', () => {
    expect(edited({ phase: 'Current', conditions: [ready] }, {}, goal)).toMatchObject({
      state: 'in-progress',
    });
    expect(edited({ ...currentVersion('1.0.2'), phase: 'Current' }, {}, goal)).toEqual({
      state: 'current',
      version: '1.0.2',
    });
  });

  test('has failed when it was rolled back last', () => {
    const status = { phase: 'Failed' as const, conditions: [rejected] };
    expect(edited({ ...status, history: [finished('1.0.2', 'RolledBack')] }, {}, goal)).toMatchObject({
      state: 'rolled-back',
    });
    const other = [finished('1.0.3', 'RolledBack'), finished('1.0.2', 'RolledBack')];
    expect(edited({ ...status, history: other }, {}, goal)).toMatchObject({ state: 'in-progress' });
  });
});

test('a request ends with its own version, and names the request that replaced it', () => {
  const own = { spec: { version: '1.0.2' }, annotations: { [annotations.requestId]: 'r1' } };
  const seen = { ...observed, specVersion: '1.0.2', requestId: 'r1' };
  const outcome = (status: Partial<ConfigRolloutStatus>, asked = own) =>
    activationOutcome(
      rolloutInState({ ...currentVersion('1.0.1'), observed: seen, ...status }, asked),
      '1.0.2',
    );
  expect(outcome({ phase: 'BeingCurrent', ...targetVersion('1.0.2') })).toMatchObject({
    state: 'in-progress',
  });
  expect(outcome({ phase: 'Current', ...currentVersion('1.0.2') })).toEqual({
    state: 'current',
    version: '1.0.2',
  });
  expect(outcome({ phase: 'Failed', conditions: [rejected] })).toMatchObject({ state: 'rolled-back' });
  expect(outcome({ phase: 'Current' }, { ...own, spec: { version: '1.0.3' } })).toEqual({
    state: 'superseded',
    reason: 'Version 1.0.2 was superseded by version 1.0.3',
  });
});

test('a retry counts when the controller has seen it', () => {
  const status = { ...currentVersion('1.0.1'), phase: 'Failed' as const, conditions: [rejected] };
  const outcome = (retry: string) =>
    retryOutcome(rolloutInState({ ...status, observed: { ...observed, retry } }), 'b');
  expect(outcome('a')).toMatchObject({ state: 'in-progress' });
  expect(outcome('b')).toMatchObject({ state: 'rolled-back' });
});

test('an aborted activation ends when its workloads are back, unless it became current before', () => {
  const outcome = (status: Partial<ConfigRolloutStatus>) =>
    abortOutcome(rolloutInState(status), 'a-1.0.2', '1.0.2');
  const back = currentVersion('1.0.1');
  expect(outcome({ ...back, phase: 'BeingCurrent', ...targetVersion('1.0.2') })).toMatchObject({
    state: 'in-progress',
  });
  expect(outcome({ ...back, phase: 'RollingBack', ...targetVersion('1.0.2') })).toMatchObject({
    state: 'in-progress',
  });
  expect(outcome({ ...back, phase: 'Aborted' })).toEqual({
    state: 'aborted',
    reason: 'Version 1.0.2 was aborted; version 1.0.1 is current',
  });
  expect(outcome({ ...currentVersion('1.0.2'), phase: 'Current' })).toMatchObject({ state: 'current' });
});
