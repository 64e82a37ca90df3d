import { describe, expect, test } from 'vitest';
import type { ConfigRollout, ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { planRequest, requestOutcome } from './version-request.ts';

const ref = (version: string) => ({ version, object: `foo-${version}` });
const current = { ...ref('1.0.0'), since: '2026-11-15T12:00:00Z' };
const target = (version: string, by?: string) => ({
  ...ref(version),
  activation: 'act-1',
  members: [],
  startedAt: '2026-11-15T12:00:00Z',
  ...(by && { by }),
});
const degraded = (reason: string) => ({
  conditions: [
    {
      type: 'Degraded',
      status: 'True' as const,
      reason,
      message: `because ${reason}`,
      lastTransitionTime: '',
    },
  ],
});

function rollout(
  version: string | undefined,
  status: Partial<ConfigRolloutStatus>,
  { requestId, by = 'alice' }: { requestId?: string; by?: string } = {},
): ConfigRollout {
  const stamp = {
    [annotations.requestedBy]: by,
    ...(version && { [annotations.requestedVersion]: version }),
  };
  const own = requestId === undefined ? {} : { [annotations.requestId]: requestId, ...stamp };
  return {
    metadata: { generation: 2, annotations: own },
    spec: { ...(version && { version }) },
    status: { phase: 'Current', current, ...status },
  } as unknown as ConfigRollout;
}

describe('who asks for a version', () => {
  const write = (settled: boolean, supersedes?: object) => ({ write: true, settled, supersedes });
  const heard = { observed: { specVersion: '1.0.1', requestId: 'a' } };

  test.each([
    ['that is current changes nothing', rollout(undefined, {}), { write: false }],
    [
      'that is current and named changes nothing',
      rollout('1.0.0', { observed: { specVersion: '1.0.0' } }),
      { write: false },
    ],
    [
      'that is current ends the wish for one that was rolled back',
      rollout('1.0.1', { ...heard, phase: 'Failed' }, { requestId: 'a' }),
      write(true),
    ],
    [
      'takes the place of one that is being made current',
      rollout('1.0.1', { ...heard, target: target('1.0.1', 'alice') }, { requestId: 'a' }),
      write(false, { version: '1.0.1', by: 'alice', activation: 'act-1' }),
    ],
    [
      'takes the place of one that nobody has begun with',
      rollout('1.0.1', { observed: {} }, { requestId: 'a', by: 'bob' }),
      write(false, { version: '1.0.1', by: 'bob', activation: undefined }),
    ],
    [
      'does not put down to anybody what was written by other means',
      rollout('1.0.1', { observed: {} }),
      write(false, { version: '1.0.1', by: undefined, activation: undefined }),
    ],
  ])('%s', (_, it, expected) => {
    expect(planRequest(it, '1.0.0')).toEqual(expected);
  });

  test('that is not current writes, and asks again for one that was rejected', () => {
    expect(planRequest(rollout(undefined, {}), '1.0.1')).toEqual(write(false));
    const rejected = rollout('1.0.1', { ...heard, phase: 'Failed' }, { requestId: 'a' });
    expect(planRequest(rejected, '1.0.1')).toEqual(write(false));
  });

  test('that is on its way supersedes nothing', () => {
    const it = rollout('1.0.1', { ...heard, target: target('1.0.1', 'alice') }, { requestId: 'a' });
    expect(planRequest(it, '1.0.1')).toEqual(write(false));
  });
});

describe('what becomes of a request', () => {
  const heard = { generation: 2, specVersion: '1.0.1', requestId: 'a' };
  const done = { ...ref('1.0.1'), since: current.since };
  const failed = (reason: string) => ({ phase: 'Failed' as const, ...degraded(reason) });

  test.each([
    ['nobody has looked yet', rollout('1.0.1', {}, { requestId: 'a' }), { state: 'in-progress' }],
    [
      'it has begun',
      rollout('1.0.1', { observed: heard, target: target('1.0.1') }, { requestId: 'a' }),
      { state: 'in-progress' },
    ],
    [
      'it is current',
      rollout('1.0.1', { observed: heard, current: done }, { requestId: 'a' }),
      { state: 'current' },
    ],
    [
      'somebody else asked for the same, too',
      rollout('1.0.1', { observed: { ...heard, requestId: 'b' }, current: done }, { requestId: 'b' }),
      { state: 'current' },
    ],
    [
      'it was rolled back',
      rollout('1.0.1', { observed: heard, ...failed('Rejected') }, { requestId: 'a' }),
      { state: 'failed', reason: 'Rejected', message: 'because Rejected' },
    ],
    [
      'what was rolled back is the time before',
      rollout(
        '1.0.1',
        { observed: { ...heard, requestId: 'old' }, ...failed('Rejected') },
        { requestId: 'a' },
      ),
      { state: 'in-progress' },
    ],
    [
      'it can’t even begin',
      rollout('1.0.1', { observed: { generation: 2 }, ...failed('KeyMissing') }, { requestId: 'a' }),
      { state: 'failed', reason: 'KeyMissing', message: 'because KeyMissing' },
    ],
    [
      'that something can’t begin was said before we asked',
      rollout('1.0.1', { observed: { generation: 1 }, ...failed('KeyMissing') }, { requestId: 'a' }),
      { state: 'in-progress' },
    ],
    [
      'it can’t be taken back',
      rollout(
        '1.0.1',
        { observed: heard, target: target('1.0.1'), phase: 'RollbackFailed', ...degraded('RollbackFailed') },
        { requestId: 'a' },
      ),
      { state: 'failed', reason: 'RollbackFailed', message: 'because RollbackFailed' },
    ],
    [
      'somebody else wanted another one',
      rollout('1.0.2', {}, { requestId: 'b', by: 'carol' }),
      { state: 'superseded', version: '1.0.2', by: 'carol' },
    ],
    [
      'an edit of the config took over',
      rollout(undefined, {}),
      { state: 'superseded', version: undefined, by: undefined },
    ],
  ])('%s', (_, it, outcome) => {
    expect(requestOutcome(it, '1.0.1')).toEqual(outcome);
  });
});
