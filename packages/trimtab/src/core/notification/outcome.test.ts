import { expect, test } from 'vitest';
import { configRollout } from '../../../test/support/config-rollout.ts';
import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { slackMessage, teamsMessage } from './chat-message.ts';
import { cloudEvent } from './cloud-event.ts';
import { detailsCommand, type Outcome, outcomesOf, outcomeText } from './outcome.ts';

const startedAt = '2026-01-01T00:00:00Z';
const finishedAt = '2026-01-01T00:00:25Z';
const attempt = { version: '1.0.1', startedAt, finishedAt, activation: 'abc-1', previous: '1.0.0' };
const secret = 'hunter2';

function rollout(status: ConfigRolloutStatus, uid = 'u1') {
  const { spec } = configRollout('foo');
  const metadata = { namespace: 'shop', name: 'configmap-foo', uid };
  return { metadata, spec, status: { workloads: [], ...status } } as Parameters<typeof outcomesOf>[0];
}
const stalled = (reason: string, phase: ConfigRolloutStatus['phase'] = 'Parked'): ConfigRolloutStatus => ({
  phase,
  current: { version: '1.0.0', object: 'foo-a', since: startedAt },
  target: { version: '1.0.1', object: 'foo-b', activation: 'abc-1', members: [], startedAt },
  conditions: [{ type: 'Stalled', status: 'True', reason, message: secret, lastTransitionTime: finishedAt }],
});
const only = (status: ConfigRolloutStatus): Outcome => {
  const [outcome, ...others] = outcomesOf(rollout(status));
  if (outcome === undefined || others.length > 0) throw new Error('not one outcome');
  return outcome;
};

test.each([
  ['Current', 'current', 'Version 1.0.1 of ConfigMap shop/foo is current'],
  [
    'RolledBack',
    'rolled-back',
    'Version 1.0.1 of ConfigMap shop/foo was rolled back (CrashLoopBackOff); version 1.0.0 is current',
  ],
  ['Aborted', 'aborted', 'Version 1.0.1 of ConfigMap shop/foo was aborted; version 1.0.0 is current'],
])('an activation that ended as %s is the outcome %s', (result, outcome, text) => {
  const found = only({ history: [{ ...attempt, result, reason: secret, cause: 'CrashLoopBackOff' }] });
  expect(found).toMatchObject({ outcome, time: finishedAt, activation: 'abc-1', durationSeconds: 25 });
  expect(outcomeText(found)).toBe(text);
});

test('a superseded activation is no outcome', () => {
  expect(outcomesOf(rollout({ history: [{ ...attempt, result: 'Superseded' }] }))).toEqual([]);
});

test('a rollback that is denied and a rollout that waits for a person are outcomes', () => {
  expect(outcomeText(only(stalled('RollbackFailed', 'RollbackFailed')))).toBe(
    'Version 1.0.1 of ConfigMap shop/foo failed, and the API server denies its rollback',
  );
  expect(outcomeText(only(stalled('Unschedulable')))).toBe(
    'The rollout of version 1.0.1 of ConfigMap shop/foo waits for a person (Unschedulable)',
  );
});

test.each(['Rejected', 'Aborted', 'Paused', 'Pinned'])(
  'a rollout that is stalled as %s is not one more outcome',
  (reason) => {
    expect(outcomesOf(rollout(stalled(reason)))).toEqual([]);
  },
);

test('the id is the same each time, and differs between outcomes, activations and configs', () => {
  const history = [
    { ...attempt, result: 'Current' },
    { ...attempt, result: 'RolledBack' },
    { ...attempt, result: 'Current', activation: 'def-1' },
  ];
  const ids = outcomesOf(rollout({ history })).map(({ id }) => id);
  expect(outcomesOf(rollout({ history })).map(({ id }) => id)).toEqual(ids);
  const others = outcomesOf(rollout({ history }, 'u2')).map(({ id }) => id);
  expect(new Set([...ids, ...others]).size).toBe(6);
  // A dot would be ambiguous in what is signed.
  for (const id of ids) expect(id).toMatch(/^[a-z0-9-]+$/);
});

test('no body has the text of a status, which may quote a pod, or an unknown reason', () => {
  const statuses: ConfigRolloutStatus[] = [
    { history: [{ ...attempt, result: 'RolledBack', reason: secret, cause: secret }] },
    stalled('Unschedulable'),
    stalled(secret),
  ];
  for (const outcome of statuses.map(only))
    for (const body of [cloudEvent, slackMessage, teamsMessage])
      expect(JSON.stringify(body(outcome, 'prod'))).not.toContain(secret);
});

test('a CloudEvent has the required attributes and says what happened', () => {
  const outcome = only({ history: [{ ...attempt, result: 'RolledBack', cause: 'Crashed', by: 'alice' }] });
  expect(cloudEvent(outcome, 'prod')).toEqual({
    specversion: '1.0',
    id: outcome.id,
    source: '/apis/trimtab.dev/v1alpha1/namespaces/shop/configrollouts/configmap-foo',
    type: 'dev.trimtab.rollout.rolled-back',
    subject: 'ConfigMap/shop/foo',
    time: finishedAt,
    datacontenttype: 'application/json',
    data: {
      cluster: 'prod',
      config: { kind: 'ConfigMap', namespace: 'shop', name: 'foo' },
      version: '1.0.1',
      previousVersion: '1.0.0',
      activation: 'abc-1',
      reason: 'Crashed',
      message: 'Version 1.0.1 of ConfigMap shop/foo was rolled back (Crashed); version 1.0.0 is current',
      details: 'trimtab status --namespace shop configmap/foo',
      by: 'alice',
      durationSeconds: 25,
      workloads: 0,
    },
  });
});

test('a version name cannot mention people or add links in chats', () => {
  const version = '<!channel> [x](http://evil.example)';
  const outcome = only({ history: [{ ...attempt, version, result: 'Current' }] });
  const slack = JSON.stringify(slackMessage(outcome, undefined));
  expect(JSON.parse(slack).text).toContain('&lt;!channel&gt;');
  expect(slack).not.toContain('mrkdwn');
  const teams = JSON.stringify(teamsMessage(outcome, undefined));
  expect(teams).not.toContain('"TextBlock"');
  expect(teams).toContain('"type":"TextRun"');
  expect(detailsCommand(outcome)).not.toContain('<');
});
