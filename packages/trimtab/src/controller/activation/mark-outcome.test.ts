import { expect, test } from 'vitest';
import type { PlannedActivation } from '../../core/activation/plan-group.ts';
import { formatRejection } from '../../core/activation/rejection.ts';
import type { RolloutState } from '../../core/activation/rollout-state.ts';
import type { ActivationOutcome, VersionRef } from '../../core/activation/types.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import { marksOf } from './mark-outcome.ts';

const ref = (config: string, n: number): VersionRef => ({
  name: `1.0.${n}`,
  object: `${config}-${n}`,
});

/** A config whose current version is 1.0.1. `rejected` is the annotation of 1.0.2. */
const rollout = (config: string, rejected?: string) => ({
  state: { config: `ConfigMap/${config}`, current: ref(config, 1) } as RolloutState,
  versions: [1, 2].map(
    (n) => ({ ...ref(config, n), rejected: n === 2 ? rejected : undefined }) as VersionMetadata,
  ),
});

const planned = (
  phase: 'moving' | 'rolling-back',
  outcome: ActivationOutcome,
  targets: Record<string, number>,
): PlannedActivation => ({
  activation: {
    id: 'act-1',
    phase,
    members: Object.entries(targets).map(([config, n]) => ({
      config: `ConfigMap/${config}`,
      target: ref(config, n),
    })),
    rules: {
      bakeMs: 0,
      progressDeadlineMs: 0,
      maxRestarts: 1,
      onFailure: 'Rollback',
      ackTimeoutMs: 30_000,
      paused: false,
    },
  },
  plan: {
    commands: [],
    outcome,
    workloads: new Map(),
    memory: { openWave: 0, healthySince: undefined, idleSince: undefined, health: new Map() },
  },
});

const failed: ActivationOutcome = {
  result: 'failed',
  workload: 'Deployment/web',
  problem: { reason: 'CrashLoopBackOff', pod: 'web-1' },
};

test('versions that failed together are rejected as a set', () => {
  const members = [rollout('foo'), rollout('bar')];
  const marks = members.map((each) =>
    marksOf(each, { planned: planned('moving', failed, { foo: 2, bar: 2 }), members }),
  );
  const set = new Map([
    ['ConfigMap/foo', '1.0.2'],
    ['ConfigMap/bar', '1.0.2'],
  ]);
  expect(marks).toMatchObject([
    { current: 'foo-1', target: 'foo-2', rejection: { set, activation: 'act-1' } },
    { current: 'bar-1', target: 'bar-2', rejection: { set, activation: 'act-1' } },
  ]);
});

test('what a user aborts is marked as aborted, on all members, also after a kill between two marks', () => {
  const aborting: ActivationOutcome = { result: 'aborting', reason: 'Aborted by anna' };
  const set = new Map([
    ['ConfigMap/foo', '1.0.2'],
    ['ConfigMap/bar', '1.0.2'],
  ] as const);
  const rejection = { set, reason: 'Aborted by anna', aborted: true, activation: 'act-1' };
  const members = [rollout('foo'), rollout('bar')];
  const own = { planned: planned('moving', aborting, { foo: 2, bar: 2 }), members };
  for (const each of members) expect(marksOf(each, own).rejection).toEqual(rejection);
  const mark = formatRejection({ ...rejection, aborted: true, sets: [set] });
  const killed = {
    planned: planned('rolling-back', { result: 'moving' }, { foo: 2, bar: 2 }),
    members: [rollout('foo', mark), rollout('bar')],
  };
  expect(marksOf(rollout('bar'), killed).rejection).toEqual(rejection);
});

test('a member that went back to its current version was not tried: the other one failed alone', () => {
  const members = [rollout('foo'), rollout('bar')];
  const own = { planned: planned('moving', failed, { foo: 1, bar: 2 }), members };
  expect(marksOf(rollout('bar'), own).rejection?.set).toEqual(new Map([['ConfigMap/bar', '1.0.2']]));
});

test('after a kill between two marks, the rollback marks the other version, too', () => {
  const set = new Map([
    ['ConfigMap/foo', '1.0.2'],
    ['ConfigMap/bar', '1.0.2'],
  ] as const);
  const mark = formatRejection({ reason: 'web crashed', sets: [set], activation: 'act-1' });
  const members = [rollout('foo', mark), rollout('bar')];
  const own = { planned: planned('rolling-back', { result: 'moving' }, { foo: 2, bar: 2 }), members };
  expect(marksOf(rollout('bar'), own)).toEqual({
    current: 'bar-1',
    target: 'bar-2',
    rejection: { set, reason: 'web crashed', activation: 'act-1' },
  });
  const alone = formatRejection({
    reason: 'web crashed',
    sets: [new Map([['ConfigMap/foo', '1.0.2']])],
    activation: 'act-1',
  });
  const joined = { ...own, members: [rollout('foo', alone), rollout('bar')] };
  expect(marksOf(rollout('bar'), joined).rejection, 'bar joined later and did not fail').toBeUndefined();
  expect(marksOf(rollout('foo', alone), joined).rejection?.set, 'foo failed alone').toEqual(
    new Map([['ConfigMap/foo', '1.0.2']]),
  );
  const other = formatRejection({ reason: 'crashed before', sets: [set], activation: 'old-1' });
  const before = { ...own, members: [rollout('foo', other), rollout('bar')] };
  expect(marksOf(rollout('bar'), before)).toMatchObject({ target: undefined, rejection: undefined });
});
