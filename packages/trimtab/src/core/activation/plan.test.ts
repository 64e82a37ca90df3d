import { describe, expect, test } from 'vitest';
import { assignmentHash } from '../references/assignment.ts';
import type { ConfigKey } from '../references/config-key.ts';
import type { ObservedWorkload } from '../workload/observed.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';
import { planActivation } from './plan.ts';
import { type Activation, noMemory, type WorkloadPod, type WorkloadState } from './types.ts';

const foo: ConfigKey = 'ConfigMap/foo';
const refs = (object: string) => new Map([[foo, object]]);
const labelOf = (object: string) => assignmentHash(refs(object));

const activation = (
  mods: Partial<Omit<Activation, 'rules'>> & { rules?: Partial<Activation['rules']> } = {},
): Activation => ({
  id: 'act-1',
  phase: 'moving',
  members: [{ config: foo, target: { name: '1.0.1', object: 'foo-2' } }],
  ...mods,
  rules: {
    bakeMs: 10_000,
    progressDeadlineMs: 600_000,
    maxRestarts: 1,
    onFailure: 'Rollback',
    ackTimeoutMs: 30_000,
    paused: false,
    ...mods.rules,
  },
});

const healthy: ObservedWorkload = {
  kind: 'Deployment',
  generation: 1,
  observedGeneration: 1,
  desired: 2,
  replicas: 2,
  updated: 2,
  ready: 2,
  available: 2,
  strategy: 'RollingUpdate',
  partition: 0,
  rolledOut: true,
  stalled: false,
  paused: false,
};

const rolling: ObservedWorkload = { ...healthy, replicas: 3, updated: 1, rolledOut: false };

/** A healthy workload that runs `foo-1`. */
const unmoved = (key: WorkloadKey, mods: Partial<WorkloadState> = {}): WorkloadState => ({
  key,
  wave: 0,
  references: refs('foo-1'),
  current: refs('foo-1'),
  assignment: 'ours',
  label: labelOf('foo-1'),
  record: undefined,
  templateHash: 't',
  observed: healthy,
  pods: [],
  ...mods,
});

/** The same workload after this activation has moved it. */
const moved = (key: WorkloadKey, mods: Partial<WorkloadState> = {}): WorkloadState =>
  unmoved(key, {
    references: refs('foo-2'),
    label: labelOf('foo-2'),
    record: {
      activation: 'act-1',
      previous: refs('foo-1'),
      previousLabel: labelOf('foo-1'),
      healthyTemplate: 't',
    },
    observed: rolling,
    ...mods,
  });

const crashed: WorkloadPod = {
  name: 'web-x',
  uid: 'x',
  ready: false,
  terminating: false,
  references: refs('foo-2'),
  containers: [
    {
      name: 'app',
      restarts: 2,
      hasLivenessProbe: false,
      lastTerminated: { exitCode: 1, message: 'no such port' },
    },
  ],
};

const ready: WorkloadPod = {
  name: 'web-r',
  uid: 'r',
  ready: true,
  terminating: false,
  references: refs('foo-2'),
  containers: [],
};

const look = (workloads: WorkloadState[], { memory = noMemory, now = 0, it = activation() } = {}) =>
  planActivation(it, workloads, memory, now);

describe('an activation begins', () => {
  test('by moving every workload of the first wave, and writing down the way back', () => {
    const plan = look([unmoved('Deployment/web'), unmoved('Deployment/late', { wave: 1 })]);
    expect(plan.commands).toEqual([
      {
        do: 'assign',
        workload: 'Deployment/web',
        references: refs('foo-2'),
        label: labelOf('foo-2'),
        record: {
          activation: 'act-1',
          previous: refs('foo-1'),
          previousLabel: labelOf('foo-1'),
          healthyTemplate: 't',
        },
      },
    ]);
    expect(plan.workloads.get('Deployment/late')).toEqual({ state: 'pending' });
  });

  test('and is done at once without workloads', () => {
    expect(look([]).outcome).toEqual({ result: 'done', noPods: true });
  });

  test('and moves nothing while it is paused', () => {
    const plan = look([unmoved('Deployment/web')], { it: activation({ rules: { paused: true } }) });
    expect(plan).toMatchObject({ commands: [], outcome: { result: 'paused' } });
  });

  test('a second look before the first write was seen asks for the same', () => {
    const workloads = [unmoved('Deployment/web')];
    const one = look(workloads);
    expect(look(workloads, { memory: one.memory }).commands).toEqual(one.commands);
  });
});

describe('healthy workloads', () => {
  const done = [moved('Deployment/web', { observed: healthy, pods: [ready] })];

  test('bake before the version is current', () => {
    const first = look(done, { now: 1_000 });
    expect(first).toMatchObject({ outcome: { result: 'moving' }, requeueAfterMs: 10_000 });
    expect(look(done, { memory: first.memory, now: 10_999 }).outcome).toEqual({ result: 'moving' });
    expect(look(done, { memory: first.memory, now: 11_000 }).outcome).toEqual({ result: 'done' });
  });

  test('are done once more, without another bake, when that could not be written down', () => {
    const first = look(done, { now: 1_000 });
    const baked = look(done, { memory: first.memory, now: 11_000 });
    expect(look(done, { memory: baked.memory, now: 11_050 }).outcome).toEqual({ result: 'done' });
  });

  test('start their bake anew when one was not healthy in between', () => {
    const first = look(done, { now: 0 });
    const dip = look([moved('Deployment/web')], { memory: first.memory, now: 5_000 });
    const again = look(done, { memory: dip.memory, now: 6_000 });
    expect(look(done, { memory: again.memory, now: 15_999 }).outcome).toEqual({ result: 'moving' });
    expect(look(done, { memory: again.memory, now: 16_000 }).outcome).toEqual({ result: 'done' });
  });

  test('bake anew under a new leader, who remembers nothing', () => {
    const first = look(done, { now: 0 });
    expect(first.memory.healthySince).toBe(0);
    expect(look(done, { now: 50_000 }).outcome).toEqual({ result: 'moving' });
  });

  test('open the next wave only after their bake', () => {
    const workloads = [...done, unmoved('Deployment/late', { wave: 1 })];
    const first = look(workloads, { now: 0 });
    expect(first.commands).toEqual([]);
    const baked = look(workloads, { memory: first.memory, now: 10_000 });
    expect(baked).toMatchObject({ commands: [], requeueAfterMs: 0 });
    const next = look(workloads, { memory: baked.memory, now: 10_000 });
    expect(next.commands).toMatchObject([{ do: 'assign', workload: 'Deployment/late' }]);
  });

  test('a new leader finds the open wave again, and does not skip the bake before the next one', () => {
    const three = [
      ...done,
      unmoved('Deployment/later', { wave: 1 }),
      unmoved('Deployment/last', { wave: 2 }),
    ];
    const plan = look(three, { now: 99_000 });
    expect(plan).toMatchObject({ commands: [], memory: { openWave: 0, healthySince: 99_000 } });
  });
});

describe('a workload that crashes with the new version', () => {
  const broken = moved('Deployment/web', { pods: [crashed] });

  test('fails the activation, and nothing moves any more', () => {
    const plan = look([broken, unmoved('Deployment/other')]);
    expect(plan.commands).toEqual([]);
    expect(plan.outcome).toMatchObject({
      result: 'failed',
      workload: 'Deployment/web',
      problem: { pod: 'web-x', container: 'app', exitCode: 1, message: 'no such port' },
    });
  });

  test('stops and waits for a person with onFailure: Pause', () => {
    const it = activation({ rules: { onFailure: 'Pause' } });
    expect(look([broken], { it }).outcome).toMatchObject({ result: 'stuck' });
  });

  test('fails nothing when its old pods crashed, too; alone it parks the activation', () => {
    const record = moved('Deployment/web').record;
    const ill = { ...broken, record: record && { ...record, failingBefore: ['crash app'] } };
    const first = look([ill]);
    expect(first.workloads.get('Deployment/web')).toMatchObject({
      state: 'not judged',
      reason: 'FailedBefore',
    });
    expect(first).toMatchObject({ outcome: { result: 'moving' }, requeueAfterMs: 600_000 });
    expect(look([ill], { memory: first.memory, now: 600_000 }).outcome).toEqual({
      result: 'parked',
      workload: 'Deployment/web',
    });
  });

  test('does not keep a version from becoming current that another workload has judged', () => {
    const record = moved('Deployment/web').record;
    const ill = { ...broken, record: record && { ...record, failingBefore: ['crash app'] } };
    const well = moved('Deployment/api', { observed: healthy, pods: [ready] });
    const first = look([ill, well]);
    expect(look([ill, well], { memory: first.memory, now: 10_000 }).outcome).toEqual({ result: 'done' });
  });

  test('fails nothing when its image changed together with the config', () => {
    expect(look([{ ...broken, templateHash: 'other' }]).outcome).toMatchObject({
      result: 'stuck',
      problem: { reason: 'TemplateChangedToo' },
    });
  });

  test.each<[string, Partial<WorkloadPod>, Partial<ObservedWorkload>, string[]]>([
    ['deletes a pod of a superseded version', {}, {}, ['db-1']],
    ['not before its controller has seen the template', {}, { generation: 2 }, []],
    ['not one that is Ready', { ready: true }, {}, []],
    ['not one that is going', { terminating: true }, {}, []],
    ['not one of the version before', { references: refs('foo-1') }, {}, []],
    ['not one of the original', { references: refs('foo') }, {}, []],
    ['not one below the partition', {}, { partition: 2 }, []],
    ['not where a person deletes pods', {}, { strategy: 'OnDelete' }, []],
  ])('that is a StatefulSet, which would wait for it for ever: %s', (_, podMods, mods, deleted) => {
    const pod = { ...crashed, name: 'db-1', references: refs('foo-superseded'), ...podMods };
    const observed: ObservedWorkload = { ...rolling, kind: 'StatefulSet', ...mods };
    const { commands } = look([moved('StatefulSet/db', { observed, pods: [pod] })]);
    expect(commands.flatMap((command) => (command.do === 'delete pod' ? command.pod : []))).toEqual(deleted);
  });

  test('does not fail it through pods of the old version', () => {
    const old = { ...crashed, references: refs('foo-1') };
    expect(look([moved('Deployment/web', { pods: [old] })]).outcome).toEqual({ result: 'moving' });
  });
});

describe('how the old pods failed is written down when a workload is moved', () => {
  const recordOf = (mods: Partial<WorkloadState>) => {
    const [command] = look([unmoved('Deployment/web', mods)]).commands;
    return command?.do === 'assign' ? command.record : undefined;
  };
  const old = (...containers: Partial<WorkloadPod['containers'][number]>[]): WorkloadPod => ({
    ...crashed,
    references: refs('foo-1'),
    containers: containers.map((each) => ({ name: 'app', restarts: 0, hasLivenessProbe: false, ...each })),
  });

  test.each<[string, WorkloadPod, string]>([
    ['crashing', old({ restarts: 4, waiting: { reason: 'CrashLoopBackOff' } }), 'crash app'],
    ['started once more between crashes', old({ restarts: 3, lastTerminated: { exitCode: 1 } }), 'crash app'],
    ['just crashed again', old({ restarts: 1, terminated: { exitCode: 1 } }), 'crash app'],
    ['without its key', old({ waiting: { reason: 'CreateContainerConfigError' } }), 'config-error app'],
  ])('%s', (_, pod, mode) => {
    expect(recordOf({ pods: [pod] })).toMatchObject({ failingBefore: [mode] });
  });

  test.each<[string, Partial<WorkloadState>]>([
    [
      'had restarts in its past',
      { pods: [{ ...old({ restarts: 5, lastTerminated: { exitCode: 1 } }), ready: true }] },
    ],
    [
      'had restarts in its past, and is not Ready for another reason now',
      { pods: [old({ restarts: 5, lastTerminated: { exitCode: 1 }, recovered: true })] },
    ],
    ['is scaling up', { observed: { ...healthy, desired: 3, available: 2 } }],
    ['is rolling out another image', { observed: rolling }],
    ['has a pod without a node', { pods: [{ ...old({}), unschedulable: '0/3 nodes are available' }] }],
    ['is out of quota', { observed: { ...rolling, createFailure: 'exceeded quota' } }],
    [
      'was undone to the version that is wanted now',
      {
        references: refs('foo-2'),
        assignment: 'pinned',
        pods: [{ ...old({ restarts: 4 }), references: refs('foo-2') }],
      },
    ],
    [
      'has pods that a rollback has left behind',
      { pods: [{ ...crashed, references: refs('foo-rejected') }] },
    ],
  ])('but not that it %s', (_, mods) => {
    expect(recordOf(mods)?.failingBefore).toBeUndefined();
  });

  test('and not again by what supersedes it: a bad version after a bad one did not fail as before', () => {
    const it = activation({
      id: 'act-2',
      members: [{ config: foo, target: { name: '1.0.2', object: 'foo-3' } }],
    });
    const [command] = look([moved('Deployment/web', { pods: [crashed] })], { it }).commands;
    expect(command).toMatchObject({ do: 'assign', record: { activation: 'act-2' } });
    expect(command?.do === 'assign' && command.record.failingBefore).toBeUndefined();
  });

  test.each<[string, ObservedWorkload, string | undefined]>([
    ['is healthy', healthy, 't'],
    ['is scaling up', { ...healthy, desired: 3 }, 't'],
    ['is rolling out another image', rolling, undefined],
    [
      'was given another image that its controller has not seen yet',
      { ...healthy, generation: 2 },
      undefined,
    ],
    ['has no pods', { ...healthy, desired: 0, replicas: 0, updated: 0, ready: 0, available: 0 }, undefined],
  ])('the template of one that %s counts as healthy or not', (_, observed, healthyTemplate) => {
    expect(recordOf({ observed })?.healthyTemplate).toBe(healthyTemplate);
  });
});

describe('only what was judged becomes current', () => {
  const zero = { ...healthy, desired: 0, replicas: 0, updated: 0, ready: 0, available: 0 };
  const record = moved('Deployment/web').record;
  const well = moved('Deployment/api', { observed: healthy, pods: [ready] });
  const outcomeAfter = (workloads: WorkloadState[], ms: number, it = activation()) =>
    look(workloads, { memory: look(workloads, { it }).memory, now: ms, it }).outcome;

  test('a workload that never wanted pods has nothing to judge: current at once', () => {
    const none = moved('Deployment/web', { observed: zero, record: record && { ...record, noPods: true } });
    expect(look([none]).outcome).toEqual({ result: 'done', noPods: true });
    expect(outcomeAfter([none, well], 10_000)).toEqual({ result: 'done' });
  });

  test('one that was scaled to zero midway keeps it from becoming current, and parks it', () => {
    const scaled = moved('Deployment/web', { observed: zero });
    for (const workloads of [[scaled], [scaled, well]]) {
      expect(outcomeAfter(workloads, 599_999)).toEqual({ result: 'moving' });
      expect(outcomeAfter(workloads, 600_000)).toEqual({ result: 'parked', workload: 'Deployment/web' });
    }
  });

  test('one that was scaled up in between is noted', () => {
    const up = moved('Deployment/web', { record: record && { ...record, noPods: true } });
    expect(look([up]).commands).toEqual([{ do: 'note', workload: 'Deployment/web', record }]);
  });

  test.each<[string, Partial<ObservedWorkload>]>([
    ['OnDelete', { kind: 'StatefulSet', strategy: 'OnDelete' }],
    ['a paused Deployment', { paused: true }],
    ['a partition that holds all pods', { kind: 'StatefulSet', partition: 2 }],
  ])('%s parks it after a deadline, and a new leader does not wait again', (_, mods) => {
    const waiting = moved('Deployment/web', { observed: { ...rolling, updated: 0, ...mods } });
    expect(outcomeAfter([waiting], 599_999)).toEqual({ result: 'moving' });
    expect(outcomeAfter([waiting], 600_000)).toMatchObject({ result: 'parked' });
    expect(look([waiting], { it: activation({ parked: true }) }).outcome).toMatchObject({ result: 'parked' });
  });

  test('pods that nobody can schedule park it at the deadline, and it goes on when one starts', () => {
    const pod = { ...ready, ready: false, unschedulable: '0/3 nodes' };
    const pending = moved('Deployment/web', { pods: [pod] });
    expect(outcomeAfter([pending], 600_000)).toMatchObject({ result: 'parked' });
    const started = moved('Deployment/web', { pods: [{ ...ready, ready: false }] });
    expect(look([started], { it: activation({ parked: true }) }).outcome).toEqual({ result: 'moving' });
  });

  test('but an activation back to what is current needs no judge', () => {
    const it = activation({ back: true, hadPods: ['Deployment/gone'] });
    const scaled = moved('Deployment/web', { observed: zero });
    const undone = moved('Deployment/web', { references: refs('foo-0'), assignment: 'pinned' });
    for (const workloads of [[scaled], [undone], [scaled, well], []])
      expect(look(workloads, { it }).outcome).toMatchObject({ result: 'done' });
    const late = unmoved('Deployment/late', { wave: 1 });
    expect(look([scaled, late], { it }), 'once all waves have it').toMatchObject({
      outcome: { result: 'moving' },
      memory: { openWave: 1 },
    });
  });

  test('when all workloads that wanted pods were deleted midway it is aborted', () => {
    const it = activation({ hadPods: ['Deployment/api'] });
    const none = moved('Deployment/web', { observed: zero, record: record && { ...record, noPods: true } });
    for (const workloads of [[], [none]])
      expect(look(workloads, { it }).outcome).toEqual({ result: 'aborted', workload: undefined });
    expect(outcomeAfter([well, none], 10_000, it)).toEqual({ result: 'done' });
  });
});

describe('a person changes a workload in mid-activation', () => {
  test('an undo takes it out of the activation', () => {
    const undone = moved('Deployment/web', {
      references: refs('foo-1'),
      assignment: 'pinned',
      record: undefined,
    });
    const plan = look([undone]);
    expect(plan.commands).toEqual([]);
    expect(plan.workloads.get('Deployment/web')).toEqual({ state: 'left' });
    expect(plan.outcome).toEqual({ result: 'aborted', workload: 'Deployment/web' });
    const other = look([undone, moved('Deployment/api')]);
    expect(other.outcome, 'the others go on').toEqual({ result: 'moving' });
  });

  test('an undo of an earlier attempt for the same version does not count', () => {
    const undone = moved('Deployment/web', { references: refs('foo-0'), assignment: 'pinned' });
    const plan = look([undone], { it: activation({ id: 'again-1', begins: true }) });
    expect(plan).toMatchObject({ commands: [{ do: 'assign' }], outcome: { result: 'moving' } });
  });

  test('a re-applied manifest is moved again, with the way back from before', () => {
    const applied = moved('Deployment/web', { references: refs('foo'), assignment: 'unassigned' });
    expect(look([applied]).commands).toMatchObject([{ do: 'assign', record: { previous: refs('foo-1') } }]);
  });

  test('a replaced manifest, which dropped all annotations, goes back to what is current', () => {
    const replaced = unmoved('Deployment/web', {
      references: refs('foo'),
      assignment: 'unassigned',
      label: undefined,
    });
    expect(look([replaced]).commands).toMatchObject([
      { record: { previous: refs('foo-1'), previousLabel: labelOf('foo-1') } },
    ]);
  });
});

test('a workload that was pinned before is moved by the next activation, and its pin is the way back', () => {
  const pinned = unmoved('Deployment/web', {
    references: refs('foo-0'),
    assignment: 'pinned',
    label: labelOf('foo-1'),
  });
  expect(look([pinned]).commands).toMatchObject([
    {
      do: 'assign',
      references: refs('foo-2'),
      record: { previous: refs('foo-0'), previousLabel: labelOf('foo-1') },
    },
  ]);
});

test('an activation that supersedes another keeps the way back from before both', () => {
  const it = activation({
    id: 'act-2',
    members: [{ config: foo, target: { name: '1.0.2', object: 'foo-3' } }],
  });
  expect(look([moved('Deployment/web')], { it }).commands).toMatchObject([
    {
      references: refs('foo-3'),
      record: { activation: 'act-2', previous: refs('foo-1'), previousLabel: labelOf('foo-1') },
    },
  ]);
});

test('an activation that supersedes a rollback knows how the workload was before both', () => {
  const observed = { ...healthy, desired: 0, replicas: 0, updated: 0, ready: 0, available: 0 };
  const record = {
    activation: 'act-1',
    previous: refs('foo-1'),
    previousLabel: labelOf('foo-1'),
    failingBefore: ['crash app'],
    noPods: true,
    healthyTemplate: 't',
  };
  const failed = look([moved('Deployment/web', { record, observed })], {
    it: activation({ phase: 'rolling-back' }),
  });
  const [revert] = failed.commands;
  const reverted = revert?.do === 'revert' ? revert.record : undefined;
  const fix = activation({
    id: 'act-2',
    members: [{ config: foo, target: { name: '1.0.2', object: 'foo-3' } }],
  });
  const [move] = look([unmoved('Deployment/web', { record: reverted, observed })], { it: fix }).commands;
  expect(move).toMatchObject({ do: 'assign', record: { failingBefore: ['crash app'], noPods: true } });
});

test('other configs of the same workload come along at their current version in the one patch', () => {
  const both = new Map<ConfigKey, string>([
    [foo, 'foo'],
    ['Secret/db', 'db'],
  ]);
  const current = new Map<ConfigKey, string>([
    [foo, 'foo-1'],
    ['Secret/db', 'db-7'],
  ]);
  const plan = look([
    unmoved('Deployment/web', { references: both, current, assignment: 'unassigned', label: undefined }),
  ]);
  expect(plan.commands).toMatchObject([
    {
      references: new Map<ConfigKey, string>([
        [foo, 'foo-2'],
        ['Secret/db', 'db-7'],
      ]),
    },
  ]);
});

describe('rolling back', () => {
  const it = activation({ phase: 'rolling-back' });
  const back = unmoved('Deployment/late', { wave: 1 });

  test('gives every moved workload its previous references and label back', () => {
    const plan = look([moved('Deployment/web'), moved('Deployment/other', { wave: 1 }), back], { it });
    expect(plan.commands).toMatchObject([
      { do: 'revert', workload: 'Deployment/web', references: refs('foo-1'), label: labelOf('foo-1') },
      { do: 'revert', workload: 'Deployment/other', references: refs('foo-1'), label: labelOf('foo-1') },
    ]);
    expect(plan.outcome).toEqual({ result: 'moving' });
  });

  test('also reverts what was moved before the status knew of the activation, or lost its record', () => {
    const record = moved('Deployment/web').record;
    const early = moved('Deployment/web', { record: record && { ...record, activation: 'other-1' } });
    const stripped = moved('Deployment/bare', { record: undefined });
    expect(look([early, stripped], { it }).commands).toMatchObject([
      { do: 'revert', workload: 'Deployment/web', references: refs('foo-1') },
      { do: 'revert', workload: 'Deployment/bare', references: refs('foo-1'), label: labelOf('foo-1') },
    ]);
  });

  test('is over when all have them, and their controllers have seen it', () => {
    expect(look([back], { it }).outcome).toEqual({ result: 'rolled back' });
    const unseen = { ...back, observed: { ...healthy, generation: 2 } };
    expect(look([unseen], { it }).outcome).toEqual({ result: 'moving' });
  });

  test('leaves what a person changed since', () => {
    const theirs = moved('Deployment/web', {
      references: refs('foo-0'),
      assignment: 'pinned',
      observed: healthy,
    });
    expect(look([theirs], { it })).toMatchObject({ commands: [], outcome: { result: 'rolled back' } });
  });

  test('deletes the broken pod that a StatefulSet would wait for, once the old template was seen', () => {
    const set = { ...healthy, kind: 'StatefulSet' as const };
    const stuck = unmoved('StatefulSet/db', { observed: set, pods: [crashed] });
    expect(look([stuck], { it })).toMatchObject({
      commands: [{ do: 'delete pod', pod: 'web-x', uid: 'x' }],
      outcome: { result: 'moving' },
    });
    const unseen = { ...stuck, observed: { ...set, generation: 2 } };
    expect(look([unseen], { it }).commands).toEqual([]);
  });
});

describe('an activation that a user aborts', () => {
  const abort = 'Aborted by anna';

  test('marks its versions before the first workload is reverted, also while it is paused', () => {
    const plan = look([moved('Deployment/web'), unmoved('Deployment/late', { wave: 1 })], {
      it: activation({ abort, rules: { paused: true } }),
    });
    expect(plan).toMatchObject({ commands: [], outcome: { result: 'aborting', reason: abort } });
    expect([...plan.workloads.values()]).toEqual([{ state: 'reverting' }, { state: 'healthy' }]);
  });

  test('is rolled back like one that failed, and ends as aborted', () => {
    const it = activation({ abort, phase: 'rolling-back' });
    expect(look([moved('Deployment/web')], { it }).commands).toMatchObject([{ do: 'revert' }]);
    expect(look([unmoved('Deployment/web')], { it }).outcome).toEqual({
      result: 'rolled back',
      aborted: true,
    });
  });
});

describe('a pinned workload', () => {
  const pin = (object: string) => ({ pin: { references: refs(object), problems: [] } });
  const { record } = moved('Deployment/pinned');
  const pinned = unmoved('Deployment/pinned', { ...pin('foo-1'), record });
  const done = { now: 20_000, memory: { ...noMemory, openWave: 1, healthySince: 0 } };

  test('is not moved, and the others decide without it', () => {
    const plan = look([pinned, unmoved('Deployment/web')]);
    expect(plan.commands).toMatchObject([{ do: 'assign', workload: 'Deployment/web' }]);
    expect(plan.workloads.get('Deployment/pinned')).toEqual({ state: 'pinned' });
    const web = moved('Deployment/web', { observed: healthy, pods: [ready] });
    expect(look([pinned, web], done).outcome).toEqual({ result: 'done' });
  });

  test('holds no later wave up, and opens none', () => {
    const late = unmoved('Deployment/late', { wave: 1 });
    expect(look([pinned, late])).toMatchObject({ memory: { openWave: 1 }, requeueAfterMs: 0 });
    const onTarget = moved('Deployment/pinned', { ...pin('foo-2'), wave: 1 });
    expect(look([unmoved('Deployment/web'), onTarget]).memory.openWave).toBe(0);
  });

  test('is waited for when nobody else can judge the version', () => {
    const parked = { result: 'parked', workload: 'Deployment/pinned' };
    const left = moved('Deployment/web', { references: refs('foo-0'), assignment: 'pinned' });
    expect(look([pinned]).outcome).toEqual(parked);
    expect(look([pinned, left]).outcome).toEqual(parked);
  });

  test('gets its versions when a manifest was applied again, in a pause and in a rollback, too', () => {
    const applied = { references: refs('foo'), assignment: 'unassigned' as const };
    const workload = unmoved('Deployment/web', { ...pin('foo-0'), ...applied });
    const phases = [
      activation(),
      activation({ rules: { paused: true } }),
      activation({ phase: 'rolling-back' }),
    ];
    for (const it of phases)
      expect(look([workload], { it }).commands).toMatchObject([
        { do: 'assign', references: refs('foo-0'), label: labelOf('foo-0') },
      ]);
  });

  test('is not rolled back', () => {
    const onTarget = moved('Deployment/web', { ...pin('foo-2'), observed: healthy });
    const plan = look([onTarget], { it: activation({ phase: 'rolling-back' }) });
    expect(plan).toMatchObject({ commands: [], outcome: { result: 'rolled back' } });
    expect(plan.workloads.get('Deployment/web')).toEqual({ state: 'pinned' });
  });
});

describe('a template that assigns versions in another way than the workload wants, because admission is gone', () => {
  const isMiswritten = true;
  const rewritten = ({ key, references, label, record }: WorkloadState) => ({
    do: 'rewrite',
    workload: key,
    references,
    label,
    record,
  });

  test('is written in the wanted way after the move, with the way back that is written down', () => {
    const web = moved('Deployment/web', { isMiswritten });
    const plan = look([web]);
    expect(plan.commands).toEqual([rewritten(web)]);
    expect(plan.workloads.get('Deployment/web')).toMatchObject({ state: 'progressing' });
    expect(look([moved('Deployment/web')]).commands).toEqual([]);
  });

  test('is moved in the wanted way before, and only once', () => {
    const plan = look([unmoved('Deployment/web', { isMiswritten })]);
    expect(plan.commands).toMatchObject([{ do: 'assign', references: refs('foo-2') }]);
  });

  test.each<[string, Activation]>([
    ['parked', activation({ parked: true })],
    ['paused', activation({ rules: { paused: true } })],
    ['rolling back', activation({ phase: 'rolling-back' })],
  ])('is written so while the activation is %s', (_, it) => {
    const web = unmoved('Deployment/web');
    const reverted = { ...web, isMiswritten };
    const moving = moved('Deployment/web', { isMiswritten });
    const its = it.phase === 'rolling-back' ? reverted : moving;
    expect(look([its], { it }).commands).toEqual([rewritten(its)]);
  });

  test('is written so while its wave is not open', () => {
    const late = unmoved('Deployment/late', { wave: 1, isMiswritten });
    expect(look([moved('Deployment/web'), late]).commands).toEqual([rewritten(late)]);
  });

  test('keeps the versions of an undo, which has taken the workload out of the activation', () => {
    const undone = moved('Deployment/web', {
      references: refs('foo-1'),
      assignment: 'pinned',
      record: undefined,
      isMiswritten,
    });
    const plan = look([undone]);
    expect(plan.workloads.get('Deployment/web')).toEqual({ state: 'left' });
    expect(plan.commands).toEqual([rewritten(undone)]);
  });

  test('is not written before a rollback has begun, which writes it anyway', () => {
    const failing = moved('Deployment/web', { pods: [crashed], isMiswritten });
    expect(look([failing])).toMatchObject({ commands: [], outcome: { result: 'failed' } });
    const revert = look([failing], { it: activation({ phase: 'rolling-back' }) });
    expect(revert.commands).toMatchObject([{ do: 'revert', references: refs('foo-1') }]);
  });
});
