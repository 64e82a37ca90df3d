import { describe, expect, test } from 'vitest';
import type { ConfigKey } from '../references/config-key.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';
import { collectActivations } from './collect-activations.ts';
import type { CandidateVersion, RolloutState } from './rollout-state.ts';

const version = (config: string, n: number, mods: Partial<CandidateVersion> = {}): CandidateVersion => ({
  name: `1.0.${n}`,
  object: `${config}-${n}`,
  contentHash: `${config}${n}`,
  sequence: n + 1,
  labelledCurrent: false,
  currentCount: 0,
  rejections: [],
  aborted: false,
  ...mods,
});

const key = (config: string): ConfigKey => `ConfigMap/${config}`;
const ref = ({ name, object }: CandidateVersion) => ({ name, object });

/** A config at 1.0.0 that wants 1.0.`wants`. */
function rollout(config: string, wants: number, mods: Partial<RolloutState> = {}): RolloutState {
  const versions = mods.versions ?? [0, 1, 2].map((n) => version(config, n));
  const wanted = versions[wants] ?? version(config, wants);
  return {
    config: key(config),
    current: ref(version(config, 0)),
    intent:
      wants === 0
        ? { want: 'stay' }
        : { want: 'version', version: wanted, because: 'edit', clearSpecVersion: false },
    newRequest: false,
    coalescing: false,
    tooEarly: false,
    preflight: undefined,
    running: undefined,
    rules: {
      bakeMs: 1,
      progressDeadlineMs: 9,
      maxRestarts: 1,
      onFailure: 'Rollback',
      ackTimeoutMs: 30_000,
      paused: false,
    },
    ...mods,
    versions,
  };
}

const running = (config: string, n: number, members: string[], rollingBack = false) => ({
  activation: 'act-1',
  target: ref(version(config, n)),
  members: members.map(key),
  rollingBack,
  parked: false,
  hadPods: ['Deployment/web' as const],
});

function collect(...rollouts: RolloutState[]) {
  const workloads = new Map<WorkloadKey, ConfigKey[]>([
    ['Deployment/web', rollouts.map(({ config }) => config)],
  ]);
  return collectActivations(rollouts, workloads, () => 'new-1').map(({ activation, supersedes }) => ({
    id: activation.id,
    phase: activation.phase,
    targets: activation.members.map(({ target }) => target.object),
    ...(supersedes !== undefined && { supersedes }),
  }));
}

const missingKey = { reason: 'KeyMissing', message: 'no key' } as const;

describe('an activation begins', () => {
  test('for a config that wants another version', () => {
    expect(collect(rollout('foo', 1))).toEqual([{ id: 'new-1', phase: 'moving', targets: ['foo-1'] }]);
  });

  test('as one for configs that share a workload, by the most careful of their rules', () => {
    const strict = {
      bakeMs: 60,
      progressDeadlineMs: 3,
      maxRestarts: 0,
      onFailure: 'Pause',
      ackTimeoutMs: 5,
      paused: false,
    } as const;
    const both = [rollout('foo', 1), rollout('bar', 1, { rules: strict })];
    expect(collect(...both)).toMatchObject([{ targets: ['foo-1', 'bar-1'] }]);
    const [collected] = collectActivations(
      both,
      new Map([['Deployment/web', both.map(({ config }) => config)]]),
      () => 'x-1',
    );
    expect(collected?.activation.rules).toEqual(strict);
  });

  test.each<[string, Partial<RolloutState>]>([
    ['its edits may still follow', { coalescing: true }],
    ['its minimum interval has not passed', { tooEarly: true }],
    [
      'it is paused',
      {
        rules: {
          bakeMs: 1,
          progressDeadlineMs: 9,
          maxRestarts: 1,
          onFailure: 'Rollback',
          ackTimeoutMs: 30_000,
          paused: true,
        },
      },
    ],
    ['its version lacks a key', { preflight: missingKey }],
    ['there is no current version to come from', { current: undefined }],
  ])('not while %s', (_, mods) => {
    expect(collect(rollout('foo', 1, mods))).toEqual([]);
  });
});

describe('content that was rolled back', () => {
  const rejections = [new Map([[key('foo'), '1.0.1']])];
  const versions = [version('foo', 0), version('foo', 1, { rejections }), version('foo', 2)];

  test('is not tried again', () => {
    expect(collect(rollout('foo', 1, { versions }))).toEqual([]);
  });

  test('is tried again when a person asks for it', () => {
    expect(collect(rollout('foo', 1, { versions, newRequest: true }))).toMatchObject([
      { targets: ['foo-1'] },
    ]);
  });

  test('does not come along when another config of the workload changes', () => {
    expect(collect(rollout('foo', 1, { versions }), rollout('bar', 1))).toMatchObject([
      { targets: ['bar-1'] },
    ]);
  });
});

describe('configs that failed together', () => {
  const pair = new Map([
    [key('foo'), '1.0.1'],
    [key('bar'), '1.0.1'],
  ]);
  const rejected = (config: string, ...sets: ReadonlyMap<ConfigKey, string>[]) => [
    version(config, 0),
    version(config, 1, { rejections: [pair, ...sets] }),
    version(config, 2),
  ];

  test('are not tried together again', () => {
    const both = ['foo', 'bar'].map((each) => rollout(each, 1, { versions: rejected(each) }));
    expect(collect(...both)).toEqual([]);
  });

  test('after an edit of one, that one is tried alone first', () => {
    const foo = rollout('foo', 2, { versions: rejected('foo') });
    expect(collect(foo, rollout('bar', 1, { versions: rejected('bar') }))).toMatchObject([
      { targets: ['foo-2'] },
    ]);
  });

  test('and when that fails, too, both are tried together once', () => {
    const alone = new Map([[key('foo'), '1.0.2']]);
    const versions = [...rejected('foo').slice(0, 2), version('foo', 2, { rejections: [alone] })];
    const foo = rollout('foo', 2, { versions });
    const bar = rollout('bar', 1, { versions: rejected('bar') });
    expect(collect(foo, bar)).toMatchObject([{ targets: ['foo-2', 'bar-1'] }]);
    const both = new Map([
      [key('foo'), '1.0.2'],
      [key('bar'), '1.0.1'],
    ]);
    const again = rollout('bar', 1, { versions: rejected('bar', both) });
    expect(collect(foo, again)).toEqual([]);
  });

  test('and when that becomes current, the other one is tried alone once', () => {
    const done = rollout('foo', 0);
    expect(collect(done, rollout('bar', 1, { versions: rejected('bar') }))).toMatchObject([
      { targets: ['bar-1'] },
    ]);
    const alone = new Map([[key('bar'), '1.0.1']]);
    expect(collect(done, rollout('bar', 1, { versions: rejected('bar', alone) }))).toEqual([]);
  });

  test('a version that a person vetoed is not tried with others, until a person asks', () => {
    const vetoed = [version('foo', 0), version('foo', 1, { rejections: [pair], aborted: true })];
    const bar = rollout('bar', 1, { versions: rejected('bar') });
    expect(collect(rollout('foo', 1, { versions: vetoed }), bar)).toMatchObject([{ targets: ['bar-1'] }]);
    expect(collect(rollout('foo', 1, { versions: vetoed, newRequest: true }))).toMatchObject([
      { targets: ['foo-1'] },
    ]);
  });

  test('an edit of one while both are tried together is tried alone: the other one goes back', () => {
    const at = (config: string, wants: number, target: number) =>
      rollout(config, wants, {
        versions: rejected(config),
        running: running(config, target, ['foo', 'bar']),
      });
    const back = { id: 'act-2', phase: 'moving', targets: ['foo-2', 'bar-0'], supersedes: 'act-1' };
    expect(collect(at('foo', 2, 1), at('bar', 1, 1))).toEqual([back]);
    expect(collect(at('foo', 2, 2), at('bar', 1, 0)), 'it stays back').toEqual([
      { id: 'act-1', phase: 'moving', targets: ['foo-2', 'bar-0'] },
    ]);
    expect(collect(at('foo', 0, 2), at('bar', 1, 0)), 'also when the edit is taken back').toMatchObject([
      { targets: ['foo-0', 'bar-0'], supersedes: 'act-1' },
    ]);
    const edited = rollout('bar', 2, {
      versions: rejected('bar'),
      running: running('bar', 0, ['foo', 'bar']),
    });
    expect(collect(at('foo', 2, 2), edited), 'until it is edited, too').toMatchObject([
      { targets: ['foo-2', 'bar-2'], supersedes: 'act-1' },
    ]);
  });

  test('an edit of one during their rollback supersedes it without the other', () => {
    const foo = rollout('foo', 2, {
      versions: rejected('foo'),
      running: running('foo', 1, ['foo', 'bar'], true),
    });
    const bar = rollout('bar', 1, {
      versions: rejected('bar'),
      running: running('bar', 1, ['foo', 'bar'], true),
    });
    expect(collect(foo, bar)).toMatchObject([{ id: 'act-2', phase: 'moving', targets: ['foo-2'] }]);
  });
});

describe('a parked activation', () => {
  const parked = rollout('foo', 1, { running: { ...running('foo', 1, ['foo']), parked: true } });

  test('stays parked while nobody can judge it', () => {
    const [collected] = collectActivations([parked], new Map(), () => 'x-1');
    expect(collected?.activation).toMatchObject({ id: 'act-1', parked: true, hadPods: ['Deployment/web'] });
  });

  test('holds no workload: the activation of a neighbour takes its target along', () => {
    expect(collect(parked, rollout('bar', 1))).toEqual([
      { id: 'act-2', phase: 'moving', targets: ['foo-1', 'bar-1'], supersedes: 'act-1' },
    ]);
  });

  test('is superseded by an edit, like any other', () => {
    const edited = rollout('foo', 2, { running: { ...running('foo', 1, ['foo']), parked: true } });
    expect(collect(edited)).toMatchObject([{ id: 'act-2', targets: ['foo-2'], supersedes: 'act-1' }]);
  });
});

test('the minimum interval of a config does not hold its neighbours up', () => {
  expect(collect(rollout('foo', 1, { tooEarly: true }), rollout('bar', 1))).toMatchObject([
    { targets: ['bar-1'] },
  ]);
});

describe('an activation under way', () => {
  test('goes on', () => {
    expect(collect(rollout('foo', 1, { running: running('foo', 1, ['foo']) }))).toEqual([
      { id: 'act-1', phase: 'moving', targets: ['foo-1'] },
    ]);
  });

  test('takes a member along that was killed before it could begin', () => {
    const foo = rollout('foo', 1, { running: running('foo', 1, ['foo', 'bar']) });
    expect(collect(foo, rollout('bar', 1))).toEqual([
      { id: 'act-1', phase: 'moving', targets: ['foo-1', 'bar-1'] },
    ]);
  });

  test('is superseded by a newer wish of one member, without going back first', () => {
    const foo = rollout('foo', 2, { running: running('foo', 1, ['foo', 'bar']) });
    const bar = rollout('bar', 1, { running: running('bar', 1, ['foo', 'bar']) });
    expect(collect(foo, bar)).toEqual([
      { id: 'act-2', phase: 'moving', targets: ['foo-2', 'bar-1'], supersedes: 'act-1' },
    ]);
  });

  test('is not superseded while the edits may still follow, nor by a version that lacks a key', () => {
    for (const mods of [{ coalescing: true }, { preflight: missingKey }]) {
      const foo = rollout('foo', 2, { running: running('foo', 1, ['foo']), ...mods });
      expect(collect(foo)).toMatchObject([{ id: 'act-1', targets: ['foo-1'] }]);
    }
  });

  test('goes back to what is current when the edit is taken back, and never rejects that', () => {
    const foo = rollout('foo', 0, { running: running('foo', 1, ['foo']) });
    const [collected] = collectActivations([foo], new Map(), () => 'x-1');
    expect(collected).toMatchObject({
      activation: { id: 'act-2', back: true, rules: { onFailure: 'Pause' } },
      supersedes: 'act-1',
    });
    expect(collected?.activation.members[0]?.target.object).toBe('foo-0');
    const going = rollout('foo', 0, { running: running('foo', 0, ['foo']) });
    const [later] = collectActivations([going], new Map(), () => 'x-1');
    expect(later, 'nor does the next reconciliation').toMatchObject({
      activation: { id: 'act-1', back: true, rules: { onFailure: 'Pause' } },
    });
  });

  test('becomes one with another that has come to share a workload, or they would undo each other for ever', () => {
    const foo = rollout('foo', 1, { running: running('foo', 1, ['foo']) });
    const bar = rollout('bar', 1, {
      running: { ...running('bar', 1, ['foo', 'bar']), activation: 'other-1' },
    });
    expect(collect(foo, bar)).toEqual([{ id: 'act-1', phase: 'moving', targets: ['foo-1', 'bar-1'] }]);
    const apart = new Map<WorkloadKey, ConfigKey[]>([
      ['Deployment/web', [key('foo')]],
      ['Deployment/api', [key('bar')]],
    ]);
    expect(collectActivations([foo, bar], apart, () => 'x-1').map(({ activation }) => activation.id)).toEqual(
      ['act-1', 'other-1'],
    );
  });

  test('keeps what shares a workload with it waiting', () => {
    const foo = rollout('foo', 1, { running: running('foo', 1, ['foo']) });
    expect(collect(foo, rollout('bar', 1))).toMatchObject([{ id: 'act-1', targets: ['foo-1'] }]);
  });
});

describe('a rollback', () => {
  const rejections = [new Map([[key('foo'), '1.0.1']])];
  const versions = [version('foo', 0), version('foo', 1, { rejections }), version('foo', 2)];

  test('goes on though the rejected content is still wanted', () => {
    const foo = rollout('foo', 1, { versions, running: running('foo', 1, ['foo'], true) });
    expect(collect(foo)).toMatchObject([{ id: 'act-1', phase: 'rolling-back' }]);
  });

  test('goes on when the edit is taken back', () => {
    const foo = rollout('foo', 0, { versions, running: running('foo', 1, ['foo'], true) });
    expect(collect(foo)).toMatchObject([{ id: 'act-1', phase: 'rolling-back' }]);
  });

  test('gives way to a fix', () => {
    const foo = rollout('foo', 2, { versions, running: running('foo', 1, ['foo'], true) });
    expect(collect(foo)).toMatchObject([{ id: 'act-2', phase: 'moving', targets: ['foo-2'] }]);
  });
});

describe('a user aborts an activation', () => {
  const asking = { activation: 'act-1', by: 'anna' };
  const aborts = (...rollouts: RolloutState[]) =>
    collectActivations(rollouts, new Map(), () => 'new-1').map(({ activation }) => activation.abort);

  test('as a whole, whichever member is asked, also while it is parked', () => {
    const foo = rollout('foo', 1, { running: running('foo', 1, ['foo', 'bar']) });
    const bar = rollout('bar', 1, { running: running('bar', 1, ['foo', 'bar']) });
    expect(aborts(foo, { ...bar, abort: asking })).toEqual(['Aborted by anna']);
    expect(aborts({ ...foo, abort: { ...asking, by: undefined } }, bar)).toEqual(['Aborted by a user']);
    const parked = { ...running('foo', 1, ['foo']), parked: true };
    expect(aborts({ ...foo, running: parked, abort: asking })).toEqual(['Aborted by anna']);
  });

  test('and no other one: neither the next one, nor one that goes back to what is current', () => {
    const other = { activation: 'act-2', by: 'anna' };
    expect(aborts(rollout('foo', 1, { running: running('foo', 1, ['foo']), abort: other }))).toEqual([
      undefined,
    ]);
    expect(aborts(rollout('foo', 2, { running: running('foo', 1, ['foo']), abort: asking }))).toEqual([
      undefined,
    ]);
    expect(aborts(rollout('foo', 0, { running: running('foo', 0, ['foo']), abort: asking }))).toEqual([
      undefined,
    ]);
    expect(aborts(rollout('foo', 1, { abort: asking }))).toEqual([undefined]);
  });

  test('and it is known in the rollback, which an abort cannot change', () => {
    const back = running('foo', 1, ['foo'], true);
    const aborted = { ...back, aborted: 'Aborted by anna' };
    expect(aborts(rollout('foo', 1, { running: aborted }))).toEqual(['Aborted by anna']);
    expect(aborts(rollout('foo', 1, { running: back, abort: asking }))).toEqual([undefined]);
  });
});

test('a request that skips the bake does so for its own version, and not for the other members', () => {
  const bakes = (...rollouts: RolloutState[]) => {
    const configs = rollouts.map(({ config }) => config);
    const workloads = new Map<WorkloadKey, ConfigKey[]>([['Deployment/web', configs]]);
    return collectActivations(rollouts, workloads, () => 'new-1').map(
      ({ activation }) => activation.rules.bakeMs,
    );
  };
  const skipping = { unbaked: '1.0.1' };
  expect(bakes(rollout('foo', 1, skipping))).toEqual([0]);
  expect(bakes(rollout('foo', 1, { ...skipping, running: running('foo', 1, ['foo']) }))).toEqual([0]);
  expect(bakes(rollout('foo', 2, skipping))).toEqual([1]);
  expect(bakes(rollout('foo', 2, { ...skipping, running: running('foo', 1, ['foo']) }))).toEqual([1]);
  expect(bakes(rollout('foo', 1, skipping), rollout('bar', 1))).toEqual([1]);
  expect(bakes(rollout('foo', 1, skipping), rollout('bar', 1, skipping))).toEqual([0]);
});
