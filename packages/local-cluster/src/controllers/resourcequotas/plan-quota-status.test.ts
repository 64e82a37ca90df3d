import { describe, expect, test } from 'vitest';
import type { ResourceQuota } from '../../quotas/quota-object.ts';
import { countedCollections } from './counted-collections.ts';
import { type Collection, planQuotaStatus } from './plan-quota-status.ts';

const now = Date.parse('2026-11-15T12:00:00Z');
const pods = (...objects: object[]): Collection => ({ resource: { group: '', plural: 'pods' }, objects });
const pod = (more: object = {}, metadata: object = {}, cpu = '100m') => ({
  metadata,
  spec: { containers: [{ name: 'app', resources: { requests: { cpu } } }], ...more },
});
const quota = (
  hard: Record<string, string>,
  status: ResourceQuota['status'] = {},
  more: object = {},
): ResourceQuota => ({ metadata: { name: 'q' }, spec: { hard, ...more }, status });

describe('a quota says what is there', () => {
  const hard = { pods: '5', cpu: '2' };
  const ended = pod({}, { deletionTimestamp: '2026-11-15T11:00:00Z', deletionGracePeriodSeconds: 30 });
  const ending = pod({}, { deletionTimestamp: '2026-11-15T11:59:50Z', deletionGracePeriodSeconds: 30 });
  test.each<[string, ResourceQuota, Collection[], ResourceQuota['status'] | undefined]>([
    ['of nothing, none', quota(hard), [pods()], { hard, used: { pods: '0', cpu: '0' } }],
    ['all of it', quota(hard), [pods(pod(), pod())], { hard, used: { pods: '2', cpu: '200m' } }],
    [
      'nothing new, so nothing is written',
      quota(hard, { hard, used: { pods: '1', cpu: '0.1' } }),
      [pods(pod())],
      undefined,
    ],
    [
      'the limits changed',
      quota(hard, { hard: { pods: '4', cpu: '2' }, used: { pods: '1', cpu: '100m' } }),
      [pods(pod())],
      { hard, used: { pods: '1', cpu: '100m' } },
    ],
    [
      'what is not limited any more is not told',
      quota({ pods: '5' }, { hard, used: { pods: '1', cpu: '100m' } }),
      [pods(pod())],
      { hard: { pods: '5' }, used: { pods: '1' } },
    ],
    [
      'who waits in vain for an end is not charged',
      quota({ pods: '5', 'count/pods': '5' }),
      [pods(ended, ending)],
      { hard: { pods: '5', 'count/pods': '5' }, used: { pods: '1', 'count/pods': '2' } },
    ],
    [
      'only those in its scope',
      quota({ pods: '5' }, {}, { scopes: ['Terminating'] }),
      [pods(pod(), pod({ activeDeadlineSeconds: 5 }))],
      { hard: { pods: '5' }, used: { pods: '1' } },
    ],
    [
      'what nobody serves keeps what it has',
      quota({ 'count/x.test.dev': '5' }, { hard: {}, used: { 'count/x.test.dev': '2' } }),
      [],
      { hard: { 'count/x.test.dev': '5' }, used: { 'count/x.test.dev': '2' } },
    ],
  ])('%s', (_, before, collections, expected) => {
    expect(planQuotaStatus(before, collections, now)).toEqual(expected);
  });
});

test('while objects come, nothing is taken off, and what was missed is added', () => {
  const hard = { pods: '5', cpu: '2' };
  const before = quota(hard, { hard, used: { pods: '3', cpu: '100m' } });
  expect(planQuotaStatus(before, [pods(pod(), pod())], now, true)).toEqual({
    hard,
    used: { pods: '3', cpu: '200m' },
  });
});

test('a quota names what it counts, each once', () => {
  const hard = {
    cpu: '1',
    pods: '1',
    'count/pods': '1',
    secrets: '1',
    'count/deployments.apps': '1',
    'test.dev/x': '1',
  };
  expect(countedCollections(quota(hard))).toEqual([
    { group: '', plural: 'pods' },
    { group: '', plural: 'secrets' },
    { group: 'apps', plural: 'deployments' },
  ]);
});
