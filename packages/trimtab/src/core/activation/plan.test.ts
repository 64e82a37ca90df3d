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
  members: [{ config: foo, target: { name: '1.0.1', object: 'foo-2', contentHash: 'h2' } }],
  ...mods,
  rules: {
    bakeMs: 10_000,
    progressDeadlineMs: 600_000,
    maxRestarts: 1,
    onFailure: 'Rollback',
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
      healthyBefore: true,
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
          healthyBefore: true,
          healthyTemplate: 't',
        },
      },
    ]);
    expect(plan.workloads.get('Deployment/late')).toEqual({ state: 'pending' });
  });

  test('and is done at once without workloads', () => {
    expect(look([]).outcome).toEqual({ result: 'done' });
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
  const done = [moved('Deployment/web', { observed: healthy })];

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

  test('fails nothing when it was unhealthy before', () => {
    const record = moved('Deployment/web').record;
    const ill = { ...broken, record: record && { ...record, healthyBefore: false } };
    expect(look([ill]).workloads.get('Deployment/web')).toEqual({ state: 'ignored' });
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

describe('what was unhealthy before is written down when it is moved', () => {
  const command = (mods: Partial<WorkloadState>) =>
    look([unmoved('Deployment/web', mods)], { it: activation({ rules: { bakeMs: 0 } }) }).commands[0];

  test.each<[string, Partial<WorkloadState>]>([
    ['rolled out, and no longer available', { observed: { ...healthy, available: 1 } }],
    ['given up by its controller', { observed: { ...rolling, stalled: true } }],
    ['crashing', { observed: rolling, pods: [{ ...crashed, references: refs('foo-1') }] }],
    ['out of quota', { observed: { ...rolling, createFailure: 'exceeded quota' } }],
  ])('%s', (_, mods) => {
    expect(command(mods)).toMatchObject({ record: { healthyBefore: false } });
  });

  test('but not one whose failing pods are what a rollback has left behind', () => {
    const left = { ...crashed, references: refs('foo-rejected') };
    expect(command({ observed: rolling, pods: [left] })).toMatchObject({ record: { healthyBefore: true } });
  });

  test.each<[string, ObservedWorkload]>([
    ['is just rolling out another image', rolling],
    ['was given another image that its controller has not seen yet', { ...healthy, generation: 2 }],
  ])('but not one that %s, whose template is not taken for a healthy one', (_, observed) => {
    expect(command({ observed })).toMatchObject({
      record: { healthyBefore: true, healthyTemplate: undefined },
    });
  });
});

describe('a StatefulSet that is not Ready, though its controller calls it rolled out,', () => {
  const set: ObservedWorkload = { ...healthy, kind: 'StatefulSet', ready: 1, available: 1 };
  const record = {
    activation: 'old-1',
    previous: refs('foo-1'),
    previousLabel: labelOf('foo-1'),
    healthyBefore: true,
    healthyTemplate: 't',
  };
  const healthyBefore = (mods: Partial<WorkloadState>) => {
    const it = activation({ rules: { bakeMs: 0 } });
    const [command] = look([unmoved('StatefulSet/db', { observed: set, ...mods })], { it }).commands;
    return command?.do === 'assign' ? command.record.healthyBefore : undefined;
  };

  test('was unhealthy before when it had been healthy once', () => {
    expect(healthyBefore({ record })).toBe(false);
  });

  test('just starts when nobody has seen it healthy', () => {
    expect(healthyBefore({ record: undefined })).toBe(true);
  });

  test('recovers from a rollback, and the next version is judged like any other', () => {
    expect(healthyBefore({ record: { ...record, recovering: true } })).toBe(true);
  });
});

describe('a workload that lacks a pod just as its config is edited', () => {
  const lacking = unmoved('Deployment/web', { observed: { ...healthy, available: 1 } });
  const healthyBefore = ({ commands: [command] }: ReturnType<typeof look>) =>
    command?.do === 'assign' ? command.record.healthyBefore : 'not moved';
  const first = look([lacking]);

  test('is not moved at once, and somebody will look again', () => {
    expect(healthyBefore(first)).toBe('not moved');
    expect(first).toMatchObject({ outcome: { result: 'moving' }, requeueAfterMs: 10_000 });
  });

  test('is moved when it is well again, and judged like any other', () => {
    const { memory } = first;
    expect(healthyBefore(look([unmoved('Deployment/web')], { memory, now: 300 }))).toBe(true);
  });

  test('is moved when it has not got well for as long as a bake, and is no reason to roll back', () => {
    const { memory } = look([lacking], { memory: first.memory, now: 9_999 });
    const last = look([lacking], { memory, now: 10_000 });
    expect(healthyBefore(last)).toBe(false);
    expect(healthyBefore(look([lacking], { memory: last.memory, now: 10_001 })), 'a lost write').toBe(false);
  });

  test('is waited for while it gets further, but not while it goes up and down', () => {
    const with3 = (available: number) =>
      unmoved('Deployment/web', { observed: { ...healthy, desired: 3, available } });
    let memory = look([with3(0)]).memory;
    ({ memory } = look([with3(1)], { memory, now: 8_000 }));
    ({ memory } = look([with3(0)], { memory, now: 12_000 }));
    const back = look([with3(1)], { memory, now: 17_000 });
    expect(healthyBefore(back)).toBe('not moved');
    expect(healthyBefore(look([with3(1)], { memory: back.memory, now: 18_000 }))).toBe(false);
  });

  test.each<[string, Partial<WorkloadState>]>([
    ['crashes', { pods: [{ ...crashed, references: refs('foo-1') }] }],
    ['was given up by its controller', { observed: { ...rolling, stalled: true } }],
    ['has no quota', { observed: { ...healthy, available: 1, createFailure: 'exceeded quota' } }],
  ])('is moved at once when it %s: a fix must not wait', (_, mods) => {
    expect(healthyBefore(look([{ ...lacking, ...mods }]))).toBe(false);
  });

  test('is moved at once when its manifest is re-applied in mid-activation', () => {
    const { observed } = lacking;
    const applied = moved('Deployment/web', { references: refs('foo'), assignment: 'unassigned', observed });
    expect(healthyBefore(look([applied]))).toBe(true);
  });

  test('holds up nobody else', () => {
    const { commands } = look([lacking, unmoved('Deployment/other')]);
    expect(commands.map(({ workload }) => workload)).toEqual(['Deployment/other']);
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
    expect(plan.workloads.get('Deployment/web')).toEqual({ state: 'pinned' });
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
    members: [{ config: foo, target: { name: '1.0.2', object: 'foo-3', contentHash: 'h3' } }],
  });
  expect(look([moved('Deployment/web')], { it }).commands).toMatchObject([
    {
      references: refs('foo-3'),
      record: { activation: 'act-2', previous: refs('foo-1'), previousLabel: labelOf('foo-1') },
    },
  ]);
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
