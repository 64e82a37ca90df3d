import { expect, test } from 'vitest';
import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { type ActivationOutcome, noMemory } from '../activation/types.ts';
import { history, targetOf } from './attempts.ts';
import type { StatusInput } from './status-input.ts';

const v1 = { name: '1.0.1', object: 'foo-1' };
const [now, earlier] = ['2026-11-15T12:00:00Z', '2026-11-15T11:00:00Z'];
const rules = {
  bakeMs: 0,
  progressDeadlineMs: 0,
  maxRestarts: 1,
  onFailure: 'Rollback',
  ackTimeoutMs: 30_000,
  paused: false,
} as const;
const crash: ActivationOutcome = { result: 'rolled back' };

/** An activation to 1.0.1 that `bob` requested. */
function input(id: string, outcome: ActivationOutcome, before?: ConfigRolloutStatus['target']): StatusInput {
  const members = [{ config: 'ConfigMap/foo' as const, target: v1 }];
  return {
    before: before && {
      target: before,
      history: [{ version: '1.0.0', result: 'Current', startedAt: earlier }],
    },
    generation: 1,
    state: {
      config: 'ConfigMap/foo',
      versions: [],
      current: undefined,
      intent: { want: 'stay' },
      newRequest: false,
      coalescing: false,
      tooEarly: false,
      preflight: undefined,
      running: undefined,
      rules,
    },
    live: { hash: 'h1', resourceVersion: '7' },
    specVersion: undefined,
    requestId: undefined,
    retry: undefined,
    activation: {
      activation: { id, phase: 'moving', members, rules },
      plan: { commands: [], outcome, workloads: new Map(), memory: noMemory },
      by: 'bob',
    },
    workloads: [],
    versionProblem: undefined,
    isBehind: false,
    followProblem: undefined,
    rejected: undefined,
    optInLost: [],
    optOutWaits: [],
    reloadUnavailable: [],
    coApplied: [],
    admissionUnavailable: [],
    notRewritten: [],
    invalidVersions: [],
    environment: [],
    unmanaged: [],
    keyWarnings: [],
    invalidPins: [],
    rejectedPins: [],
    denied: undefined,
    now,
  };
}

const underWay = (activation: string, version = '1.0.1', object = 'foo-1') => ({
  version,
  object,
  activation,
  members: ['ConfigMap/foo'],
  startedAt: earlier,
  by: 'anna',
});
const told = (entries: ReturnType<typeof history>) =>
  entries.map(({ version, result, by }) => [version, result, by]);
const target = (it: StatusInput) => it.activation && targetOf(it, it.activation, v1);

test('an attempt names who began it, whoever asks meanwhile', () => {
  expect(target(input('a-1', { result: 'moving' }))).toMatchObject({ by: 'bob', startedAt: now });
  expect(target(input('a-1', { result: 'moving' }, underWay('a-1')))).toMatchObject({
    by: 'anna',
    startedAt: earlier,
  });
  expect(target(input('a-2', { result: 'moving' }, underWay('a-1')))).toMatchObject({ by: 'bob' });
});

test.each<[string, ActivationOutcome, string]>([
  ['has come to its end', { result: 'done' }, 'Current'],
  ['was rolled back', crash, 'RolledBack'],
  ['was aborted by a user', { result: 'rolled back', aborted: true }, 'Aborted'],
  ['was left by all workloads', { result: 'aborted', workload: 'Deployment/web' }, 'Aborted'],
])('an attempt that %s is history, with its name', (_, outcome, result) => {
  const entries = history(input('a-1', outcome, underWay('a-1')), undefined);
  expect(told(entries)).toEqual([
    ['1.0.1', result, 'anna'],
    ['1.0.0', 'Current', undefined],
  ]);
  expect(entries[0]).toMatchObject({ startedAt: earlier, finishedAt: now });
});

test('an attempt says why it began, and one that failed says why', () => {
  expect(target(input('a-1', { result: 'moving' }))?.reason).toBe('the config was edited');
  const failed = { ...input('a-1', crash, underWay('a-1')), rejected: '{"reason":"web crashed","sets":[]}' };
  expect(history(failed, undefined)[0]?.reason).toBe('web crashed');
  const done = input('a-1', { result: 'done' }, { ...underWay('a-1'), reason: 'spec.version was set' });
  expect(history(done, undefined)[0]?.reason).toBe('spec.version was set');
});

test('one that is under way is not history yet', () => {
  const it = input('a-1', { result: 'moving' }, underWay('a-1'));
  expect(told(history(it, target(it)))).toEqual([['1.0.0', 'Current', undefined]]);
});

test('one that is over at the first look is history, too', () => {
  expect(told(history(input('a-1', { result: 'done' }), undefined))).toEqual([['1.0.1', 'Current', 'bob']]);
});

test('one that was superseded did not become current, even when the next one did at once', () => {
  const old = underWay('a-1', '1.0.9', 'foo-9');
  const next = input('a-2', { result: 'moving' }, old);
  expect(told(history(next, target(next)))[0]).toEqual(['1.0.9', 'Superseded', 'anna']);
  expect(told(history(input('a-2', { result: 'done' }, old), undefined))).toEqual([
    ['1.0.1', 'Current', 'bob'],
    ['1.0.9', 'Superseded', 'anna'],
    ['1.0.0', 'Current', undefined],
  ]);
});

test('a rollback that no status ever told of is read from the version’s mark, once', () => {
  const version = {
    ...v1,
    contentHash: 'h1',
    sequence: 2,
    labelledCurrent: false,
    currentCount: 0,
    rejections: [],
    aborted: false,
  };
  const { activation: _, ...killed } = input('a-1', crash);
  const state: StatusInput['state'] = {
    ...killed.state,
    versions: [version],
    intent: { want: 'version', version, because: 'edit', clearSpecVersion: false },
  };
  const found: StatusInput = { ...killed, activation: undefined, state, rejected: '{}' };
  const told = history(found, undefined);
  expect(told).toEqual([{ version: '1.0.1', result: 'RolledBack', startedAt: now, finishedAt: now }]);
  expect(history({ ...found, before: { history: told } }, undefined)).toEqual(told);
  expect(history({ ...found, rejected: undefined }, undefined)).toEqual([]);
});

test('what became current before a controller was killed is told by the next one, once', () => {
  const { activation: _, ...rest } = input('a-1', { result: 'done' });
  const current = { version: '1.0.0', object: 'foo-0', since: earlier };
  const killed = {
    ...rest,
    activation: undefined,
    state: { ...rest.state, current: v1 },
    before: { current },
  };
  expect(history(killed, undefined)).toEqual([
    { version: '1.0.1', result: 'Current', startedAt: now, finishedAt: now },
  ]);
  const told = { ...killed, before: { current: { ...current, version: '1.0.1', object: 'foo-1' } } };
  expect(history(told, undefined)).toEqual([]);
});
