import { describe, expect, test } from 'vitest';
import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import type { RolloutState } from '../activation/rollout-state.ts';
import {
  type ActivationOutcome,
  noMemory,
  type Plan,
  type WorkloadReport,
  type WorkloadState,
} from '../activation/types.ts';
import type { PodProblem } from '../workload/pod-failure.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';
import { rolloutStatus } from './rollout-status.ts';
import type { StatusInput } from './status-input.ts';

const v0 = { name: '1.0.0', object: 'foo-0', contentHash: 'h0' };
const v1 = { name: '1.0.1', object: 'foo-1', contentHash: 'h1' };
const versions = [v0, v1].map((it, index) => ({
  ...it,
  sequence: index + 1,
  labelledCurrent: false,
  currentCount: 0,
  rejections: [],
  aborted: false,
}));
const now = '2026-11-15T12:00:00Z';
const earlier = '2026-11-15T11:00:00Z';

const state = (mods: Partial<RolloutState> = {}): RolloutState => ({
  config: 'ConfigMap/foo',
  versions,
  current: v0,
  intent: { want: 'stay' },
  newRequest: false,
  coalescing: false,
  tooEarly: false,
  preflight: undefined,
  running: undefined,
  rules: {
    bakeMs: 0,
    progressDeadlineMs: 0,
    maxRestarts: 1,
    onFailure: 'Rollback',
    ackTimeoutMs: 30_000,
    paused: false,
  },
  ...mods,
});

const wanting: RolloutState['intent'] = {
  want: 'version',
  version: { ...v1, sequence: 2 },
  because: 'edit',
  clearSpecVersion: false,
};

function activation(
  outcome: ActivationOutcome,
  phase: 'moving' | 'rolling-back' = 'moving',
  workloads: Plan['workloads'] = new Map(),
): NonNullable<StatusInput['activation']> {
  const plan: Plan = { commands: [], outcome, workloads, memory: noMemory };
  const members = [{ config: 'ConfigMap/foo' as const, target: v1 }];
  return { activation: { id: 'act-1', phase, members, rules: state().rules }, plan, by: undefined };
}

const live = (hash: string) => ({ hash, resourceVersion: `rv of ${hash}` });

const status = (mods: Partial<StatusInput>): ConfigRolloutStatus =>
  rolloutStatus({
    before: undefined,
    generation: 3,
    state: state(),
    live: live('h0'),
    specVersion: undefined,
    requestId: undefined,
    retry: undefined,
    activation: undefined,
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
    ...mods,
  });

const condition = ({ conditions }: ConfigRolloutStatus, type: string) =>
  conditions?.find((each) => each.type === type);
const crash: PodProblem = {
  reason: 'CrashLoopBackOff',
  pod: 'web-x',
  container: 'app',
  exitCode: 3,
  message: 'no such port',
};

test('a config at rest is Ready at its current version', () => {
  const it = status({});
  expect(it).toMatchObject({ phase: 'Current', current: { version: '1.0.0', object: 'foo-0', since: now } });
  expect(it.target).toBeUndefined();
  expect(condition(it, 'Ready')).toMatchObject({ status: 'True', message: 'Version 1.0.0 is current' });
  expect(condition(it, 'Degraded')?.status).toBe('False');
});

test('a config that can have no first version has failed, and says why', () => {
  const versionProblem = { reason: 'ConfigNotFound', message: 'ConfigMap foo does not exist' } as const;
  const it = status({
    state: state({ versions: [], current: undefined }),
    live: undefined,
    versionProblem,
  });
  expect(it.phase).toBe('Failed');
  expect(condition(it, 'Ready')?.status).toBe('False');
  expect(condition(it, 'Degraded')).toMatchObject({ status: 'True', ...versionProblem });
  expect(status({ versionProblem }).phase, 'what runs, runs on').toBe('Current');
});

test('a config without a version is not Ready', () => {
  const it = status({ state: state({ versions: [], current: undefined }) });
  expect(condition(it, 'Ready')).toMatchObject({ status: 'False', reason: 'NoVersion' });
  expect(condition(it, 'Reconciling')?.status).toBe('True');
});

describe('the phases of an activation', () => {
  test.each<[string, ActivationOutcome, 'moving' | 'rolling-back']>([
    ['BeingCurrent', { result: 'moving' }, 'moving'],
    ['RollingBack', { result: 'failed', workload: 'Deployment/web', problem: crash }, 'moving'],
    ['RollingBack', { result: 'moving' }, 'rolling-back'],
    ['Paused', { result: 'stuck', workload: 'Deployment/web', problem: crash }, 'moving'],
    ['Paused', { result: 'paused' }, 'moving'],
    ['Parked', { result: 'parked', workload: 'Deployment/web' }, 'moving'],
    ['Aborted', { result: 'aborted', workload: 'Deployment/web' }, 'moving'],
    ['Failed', { result: 'rolled back' }, 'rolling-back'],
    ['RollingBack', { result: 'aborting', reason: 'Aborted by anna' }, 'moving'],
    ['Aborted', { result: 'rolled back', aborted: true }, 'rolling-back'],
    ['Current', { result: 'done' }, 'moving'],
  ])('%s: %j', (phase, outcome, activationPhase) => {
    expect(status({ activation: activation(outcome, activationPhase) }).phase).toBe(phase);
  });

  test('a revert that was denied is said, with the reason', () => {
    const it = status({
      activation: activation({ result: 'moving' }, 'rolling-back'),
      denied: 'Deployment/web: policy says no',
    });
    expect(it.phase).toBe('RollbackFailed');
    expect(condition(it, 'Degraded')).toMatchObject({
      reason: 'RollbackFailed',
      message: 'Deployment/web: policy says no',
    });
  });
});

test('while it moves, the target is there with its id and members, and its start does not move', () => {
  const first = status({ activation: activation({ result: 'moving' }) });
  expect(first.target).toMatchObject({
    version: '1.0.1',
    activation: 'act-1',
    members: ['ConfigMap/foo'],
    startedAt: now,
  });
  const startedEarlier = {
    ...first,
    ...(first.target && { target: { ...first.target, startedAt: earlier } }),
  };
  const later = status({ before: startedEarlier, activation: activation({ result: 'moving' }) });
  expect(later.target?.startedAt).toBe(earlier);
});

test('when it is done, the target is current and the attempt is history', () => {
  const before = { ...status({ activation: activation({ result: 'moving' }) }) };
  const it = status({ before, activation: activation({ result: 'done' }) });
  expect(it).toMatchObject({ current: { version: '1.0.1', since: now }, phase: 'Current' });
  expect(it.target).toBeUndefined();
  const reason = 'the config was edited';
  expect(it.history).toEqual([
    {
      ...{ version: '1.0.1', result: 'Current', startedAt: now, finishedAt: now, reason },
      ...{ activation: it.history?.[0]?.activation, previous: '1.0.0' },
    },
  ]);
  expect(it.history?.[0]?.activation).toBe(before.target?.activation);
});

test('a rollback and a newer target end an attempt as what they are', () => {
  const before = status({ activation: activation({ result: 'moving' }) });
  expect(
    status({ before, activation: activation({ result: 'rolled back' }, 'rolling-back') }).history?.[0]
      ?.result,
  ).toBe('RolledBack');
  const next = activation({ result: 'moving' });
  const superseding = { ...next, activation: { ...next.activation, id: 'act-2' } };
  expect(status({ before, activation: superseding }).history?.[0]?.result).toBe('Superseded');
});

test('a failure names version, workload, pod, container, exit code and message', () => {
  const it = status({
    activation: activation({ result: 'failed', workload: 'Deployment/web', problem: crash }),
  });
  expect(condition(it, 'Degraded')).toMatchObject({
    status: 'True',
    reason: 'CrashLoopBackOff',
    message:
      'Version 1.0.1 failed on Deployment web: pod web-x, container app: CrashLoopBackOff, exit code 3: no such port',
  });
});

test('a workload that cannot be judged is named with what keeps it', () => {
  const problem: PodProblem = { reason: 'Unschedulable', pod: 'web-x', message: 'no node fits' };
  const reports = new Map<WorkloadKey, WorkloadReport>([
    ['Deployment/web', { state: 'inconclusive', problem, late: true }],
  ]);
  const it = status({
    activation: activation({ result: 'stuck', workload: 'Deployment/web', problem }, 'moving', reports),
  });
  expect(condition(it, 'Degraded')).toMatchObject({
    reason: 'Unschedulable',
    message: 'Version 1.0.1 cannot be judged on Deployment web: pod web-x: Unschedulable: no node fits',
  });
});

describe('what a person reads while an activation goes on', () => {
  const observed = {
    ...{
      kind: 'Deployment' as const,
      generation: 2,
      observedGeneration: 2,
      desired: 4,
      replicas: 4,
      ready: 3,
    },
    ...{ strategy: 'RollingUpdate' as const, partition: 0, rolledOut: false, stalled: false, paused: false },
  };
  const workload = (key: WorkloadKey, updated: number): WorkloadState => ({
    ...{ key, wave: 0, references: new Map(), current: new Map(), assignment: 'ours', label: undefined },
    ...{ record: undefined, templateHash: '', observed: { ...observed, updated, available: 3 } },
    pods: Array.from({ length: 4 }, (_, index) => ({
      ...{ name: `${index}`, uid: `${index}`, ready: true, terminating: false, containers: [] },
      references: new Map([['ConfigMap/foo' as const, index < updated ? 'foo-1' : 'foo-0']]),
    })),
  });
  const workloads = [workload('Deployment/web', 4), workload('Deployment/api', 1)];
  const shown = (
    outcome: ActivationOutcome,
    phase: 'moving' | 'rolling-back',
    reports: Plan['workloads'],
  ) => {
    const it = status({ activation: activation(outcome, phase, reports), workloads });
    return { ready: condition(it, 'Ready')?.message, lines: it.workloads?.map(({ message }) => message) };
  };

  test('how many workloads are updated', () => {
    const reports = new Map<WorkloadKey, WorkloadReport>([
      ['Deployment/web', { state: 'healthy' }],
      ['Deployment/api', { state: 'progressing' }],
    ]);
    expect(shown({ result: 'moving' }, 'moving', reports).ready).toBe(
      'Rolling out version 1.0.1: 1 of 2 workloads updated',
    );
    expect(shown({ result: 'paused' }, 'moving', reports).ready).toBe(
      'Rollout of version 1.0.1 is paused: 1 of 2 workloads updated',
    );
  });

  test('how many workloads are reverted', () => {
    const reports = new Map<WorkloadKey, WorkloadReport>([
      ['Deployment/web', { state: 'reverting' }],
      ['Deployment/api', { state: 'healthy' }],
    ]);
    expect(shown({ result: 'moving' }, 'rolling-back', reports).ready).toBe(
      'Rolling back version 1.0.1: 1 of 2 workloads reverted',
    );
  });

  test('how many pods run the version of this config', () => {
    const it = status({ activation: activation({ result: 'moving' }), workloads });
    expect(it.updated).toBe('5/8');
    expect(status({ workloads }).updated, 'at rest, the current one').toBe('3/8');
  });

  test('what a workload waits for', () => {
    const problem: PodProblem = { reason: 'CrashLoopBackOff', pod: 'api-x' };
    const reports = new Map<WorkloadKey, WorkloadReport>([
      ['Deployment/web', { state: 'scaled to zero' }],
      ['Deployment/api', { state: 'not judged', reason: 'FailedBefore', problem }],
    ]);
    const parked: ActivationOutcome = { result: 'parked', workload: 'Deployment/web' };
    expect(shown(parked, 'moving', reports).lines).toEqual([
      'Deployment web was scaled to zero during this activation; scale it up to have the version judged',
      'Deployment api fails as it did before this activation: pod api-x: CrashLoopBackOff',
    ]);
    const it = status({ activation: activation(parked, 'moving', reports), workloads });
    expect(condition(it, 'Ready')).toMatchObject({ status: 'False', reason: 'ScaledToZero' });
    expect(condition(it, 'Stalled')?.status).toBe('True');
    const failing: ActivationOutcome = { result: 'parked', workload: 'Deployment/api' };
    const other = status({ activation: activation(failing, 'moving', reports), workloads });
    expect(condition(other, 'Ready')).toMatchObject({
      reason: 'FailedBefore',
      message:
        'Version 1.0.1 is parked: Deployment api fails as it did before this activation: pod api-x: CrashLoopBackOff',
    });
    expect(it.target?.version).toBe('1.0.1');
  });

  test('what an activation waits for before it is parked', () => {
    const reports = new Map<WorkloadKey, WorkloadReport>([
      ['Deployment/web', { state: 'healthy' }],
      ['Deployment/api', { state: 'waiting', for: 'resume' }],
    ]);
    const it = status({ activation: activation({ result: 'moving' }, 'moving', reports), workloads });
    expect(condition(it, 'Ready')).toMatchObject({
      reason: 'WaitingForResume',
      message:
        'Rolling out version 1.0.1: 1 of 2 workloads updated. Deployment api is paused: kubectl rollout resume deployment/api',
    });
    expect(condition(it, 'Reconciling')?.status).toBe('True');
    expect(condition(it, 'Progressing')).toMatchObject({ status: 'True', reason: 'BeingCurrent' });
  });

  test('that a workload runs what somebody chose', () => {
    const it = status({ workloads: [{ ...workload('Deployment/web', 0), assignment: 'pinned' }] });
    expect(condition(it, 'Ready')).toMatchObject({ status: 'False', reason: 'Pinned' });
    expect(condition(it, 'Stalled'), 'a person has to act').toMatchObject({
      status: 'True',
      reason: 'Pinned',
    });
    expect(it.phase).toBe('Current');
  });

  test('that nothing is wrong with a config when somebody chose versions of other configs only', () => {
    const references = new Map([['ConfigMap/foo', 'foo-0'] as const]);
    const it = status({
      workloads: [{ ...workload('Deployment/web', 0), assignment: 'pinned', references }],
    });
    expect(it.workloads?.[0]?.state).not.toBe('Pinned');
    expect(condition(it, 'Ready')?.status).toBe('True');
  });

  test('that a workload at rest has pods which do not run the current version yet', () => {
    const it = status({ workloads: [workload('Deployment/web', 1)] });
    expect(condition(it, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'Assigning',
      message: 'Deployment web: 3 of 4 pods run version 1.0.0',
    });
    expect(condition(it, 'Reconciling')?.status).toBe('True');
    expect(condition(status({ workloads: [workload('Deployment/web', 0)] }), 'Ready')?.status).toBe('True');
  });

  test('that a workload at rest needs a person to replace its pods', () => {
    const web = workload('Deployment/web', 1);
    const paused = { ...web, observed: { ...web.observed, paused: true } };
    const it = status({ workloads: [paused] });
    expect(condition(it, 'Ready')).toMatchObject({ status: 'False', reason: 'WaitingForResume' });
    expect(condition(it, 'Stalled')?.status).toBe('True');
  });

  test('that a pod which is missing does not make a rollout at rest not Ready', () => {
    const web = workload('Deployment/web', 0);
    expect(condition(status({ workloads: [{ ...web, pods: web.pods.slice(1) }] }), 'Ready')?.status).toBe(
      'True',
    );
  });
});

test('a paused rollout says that it is paused, and which version waits; without one it is Ready', () => {
  const rules = { ...state().rules, paused: true };
  const paused = (mods: Partial<RolloutState>) => status({ state: state({ rules, ...mods }) });
  const [idle, waiting] = [paused({}), paused({ intent: wanting })];
  expect(condition(idle, 'Ready')).toMatchObject({
    status: 'True',
    reason: 'Paused',
    message: 'The rollout is paused by spec.paused; version 1.0.0 is current',
  });
  expect(condition(idle, 'Stalled')?.status).toBe('False');
  expect(condition(waiting, 'Ready')).toMatchObject({
    status: 'False',
    message: 'The rollout is paused by spec.paused; version 1.0.1 waits, version 1.0.0 is current',
  });
  expect(condition(waiting, 'Stalled')?.status).toBe('True');
});

test('a template names the versions instead of admission only once they are written into it', () => {
  const message = (isMiswritten: boolean) =>
    condition(
      status({ admissionUnavailable: [{ workload: 'Deployment/web', why: 'no policy', isMiswritten }] }),
      'AdmissionUnavailable',
    )?.message;
  const why =
    'Admission cannot write versions into the pods of Deployment web, as trimtab.dev/references requests: no policy';
  expect(message(true)).toBe(why);
  expect(message(false)).toBe(`${why}. Its pod template names the versions instead`);
});

describe('an edit that is not released yet', () => {
  const unnamed = state({ intent: { want: 'wait for version' }, coalescing: true });
  const known = state({ intent: wanting, coalescing: true });
  const failed = status({ state: state({ intent: wanting }), rejected: 'crash' });

  test.each([
    ['whose content has no version', unnamed],
    ['whose content has a version', known],
  ])('%s does not make a rollout Ready that was not', (_, edited) => {
    const rolling = status({ activation: activation({ result: 'moving' }) });
    for (const before of [failed, rolling, undefined]) {
      const it = status({ before, state: edited });
      expect(condition(it, 'Ready')).toMatchObject({ status: 'False', reason: 'EditPending' });
      expect(condition(it, 'Reconciling')).toMatchObject({ status: 'True', reason: 'EditPending' });
      expect(condition(it, 'Stalled')?.status).toBe('False');
    }
  });

  test('that follows another release does not make the end of that release Ready', () => {
    const before = status({ activation: activation({ result: 'moving' }) });
    const it = status({ before, state: unnamed, activation: activation({ result: 'done' }) });
    expect(it).toMatchObject({ phase: 'Current', current: { version: '1.0.1' } });
    expect(condition(it, 'Ready')).toMatchObject({ status: 'False', reason: 'EditPending' });
  });

  test('does not make a paused rollout Ready', () => {
    const rules = { ...state().rules, paused: true };
    const before = status({ state: state({ rules, intent: wanting }) });
    const it = status({ before, state: { ...unnamed, rules } });
    expect(condition(it, 'Ready')?.status).toBe('False');
  });

  test('is no write of the status when the rollout is Ready', () => {
    const before = status({ now: earlier });
    expect(status({ before, state: unnamed }).conditions).toEqual(before.conditions);
  });

  test('leaves a rollout Ready when it restores what is current', () => {
    expect(condition(status({ before: failed, state: state({ coalescing: true }) }), 'Ready')?.status).toBe(
      'True',
    );
  });
});

describe('kstatus, Helm and Flux read', () => {
  const read = (mods: Partial<StatusInput>) => {
    const it = status(mods);
    const of = (type: string) => condition(it, type)?.status;
    return [it.observedGeneration, of('Ready'), of('Reconciling'), of('Stalled')];
  };
  const failed = { result: 'failed', workload: 'Deployment/web', problem: crash } as const;

  test.each<[string, Partial<StatusInput>, string[]]>([
    ['at rest', {}, ['True', 'False', 'False']],
    [
      'a version that is rolled out',
      { activation: activation({ result: 'moving' }) },
      ['False', 'True', 'False'],
    ],
    ['a version that is rolled back', { activation: activation(failed) }, ['False', 'True', 'False']],
    [
      'a version that was rolled back',
      { activation: activation({ result: 'rolled back' }, 'rolling-back') },
      ['False', 'False', 'True'],
    ],
    [
      'a version that waits for a neighbour',
      { state: state({ intent: wanting }) },
      ['False', 'True', 'False'],
    ],
    [
      'a version that waits for its interval',
      { state: state({ intent: wanting, tooEarly: true }) },
      ['False', 'True', 'False'],
    ],
    [
      'an edit that a policy refuses',
      { versionProblem: { reason: 'VersionRefused', message: 'denied' } },
      ['False', 'False', 'True'],
    ],
  ])('%s', (_, mods, [ready, reconciling, stalled]) => {
    expect(read(mods)).toEqual([3, ready, reconciling, stalled]);
  });
});

describe('what keeps a version from becoming current is said', () => {
  test.each<[string, Partial<StatusInput>]>([
    ['UnknownVersion', { state: state({ intent: { want: 'unknown version', name: '9.9' } }) }],
    [
      'KeyMissing',
      { state: state({ intent: wanting, preflight: { reason: 'KeyMissing', message: 'no key' } }) },
    ],
    ['VersionNameTaken', { versionProblem: { reason: 'VersionNameTaken', message: 'taken' } }],
    ['PinnedToRejected', { rejectedPins: ['Deployment/web was set to version 1.0.1'] }],
    ['Rejected', { state: state({ intent: wanting }), rejected: '{"reason":"it crashed","sets":[]}' }],
  ])('%s', (reason, mods) => {
    const it = status(mods);
    expect(condition(it, 'Degraded')).toMatchObject({ status: 'True', reason });
    const { message } = condition(it, 'Degraded') ?? {};
    expect(condition(it, 'Ready')).toMatchObject({ status: 'False', reason, message });
  });

  test('an opt-in that vanished is a condition of its own, and nothing is degraded', () => {
    const it = status({ optInLost: ['Deployment/web'] });
    expect(condition(it, 'OptInLost')).toMatchObject({
      status: 'True',
      message: expect.stringContaining('The opt-in of Deployment web is gone'),
    });
    expect(condition(it, 'Ready')?.status).toBe('True');
  });

  test('so is an opt-out that waits', () => {
    const it = status({ optOutWaits: ['Deployment web: ConfigMap foo holds version 1.0.1'] });
    expect(condition(it, 'OptOutWaits')).toMatchObject({
      status: 'True',
      reason: 'OptOutWaits',
      message: 'Deployment web: ConfigMap foo holds version 1.0.1',
    });
    expect(condition(status({}), 'OptOutWaits')).toBeUndefined();
  });

  test('so is a reload that no agent can do', () => {
    const it = status({ reloadUnavailable: ['Deployment/web', 'StatefulSet/db'] });
    expect(condition(it, 'ReloadUnavailable')).toMatchObject({
      status: 'True',
      reason: 'NoAgent',
      message: expect.stringContaining('Deployment web, StatefulSet db requested a reload'),
    });
    expect(condition(it, 'Ready')?.status).toBe('True');
    expect(condition(status({}), 'ReloadUnavailable')).toBeUndefined();
  });
});

test('a forward move that is denied is no failed rollback', () => {
  const it = status({
    activation: activation({ result: 'moving' }),
    denied: 'Deployment web: policy says no',
  });
  expect(it.phase).toBe('BeingCurrent');
  expect(condition(it, 'Degraded')).toMatchObject({ reason: 'UpdateDenied' });
});

test('a version that was aborted stays so when the status is rebuilt', () => {
  const rejected = '{"reason":"undone","aborted":true,"sets":[]}';
  const it = status({ state: state({ intent: wanting }), rejected });
  expect(it.phase).toBe('Aborted');
  expect(condition(it, 'Degraded')).toMatchObject({ reason: 'Aborted' });
});

test('a version that a user aborts says who, with the way out, from the first status on', () => {
  const aborting = activation({ result: 'aborting', reason: 'Aborted by anna' });
  const rejected = '{"reason":"Aborted by anna","aborted":true,"sets":[]}';
  const message = expect.stringMatching(/^Version 1\.0\.1 was aborted by anna\. .*trimtab\.dev\/retry/);
  for (const it of [
    status({ activation: aborting }),
    status({ state: state({ intent: wanting }), rejected }),
  ])
    expect(condition(it, 'Degraded')).toMatchObject({ reason: 'Aborted', message });
});

test('a pin that is not valid is a warning', () => {
  const it = status({ invalidPins: ['Deployment web: Annotation trimtab.dev/pin has the value "true"'] });
  expect(condition(it, 'PinInvalid')).toMatchObject({ status: 'True', reason: 'PinInvalid' });
  expect(condition(it, 'Ready')?.status).toBe('True');
});

test('a rejected set names all its members', () => {
  const rejected = '{"reason":"web crashed","sets":[{"ConfigMap/foo":"1.0.1","Secret/db":"1.0.4"}]}';
  const it = status({ state: state({ intent: wanting }), rejected });
  expect(condition(it, 'Degraded')?.message).toBe(
    'Version 1.0.1 was rolled back together with Secret/db 1.0.4: web crashed. Edit the config, or set annotation trimtab.dev/retry of the ConfigRollout to a new value to retry',
  );
});

test('references and keys that are not managed are warnings, and nothing is degraded', () => {
  const it = status({ unmanaged: ['Deployment web references Secret/token'], keyWarnings: ['no key "a"'] });
  expect(condition(it, 'UnmanagedReferences')).toMatchObject({ status: 'True' });
  expect(condition(it, 'KeyMissing')).toMatchObject({ status: 'True' });
  expect(condition(it, 'Ready')?.status).toBe('True');
});

describe('what was looked at', () => {
  test('stays known while there is no live content: what comes back with other content was edited', () => {
    const before: ConfigRolloutStatus = { observed: { liveVersion: '1.0.0' } };
    expect(status({ before, live: undefined }).observed?.liveVersion).toBe('1.0.0');
  });

  test('is written down, so that the next change of either wish is seen', () => {
    expect(status({ live: live('h1'), specVersion: '1.0.0' }).observed).toEqual({
      generation: 3,
      liveVersion: '1.0.1',
      liveResourceVersion: 'rv of h1',
      specVersion: '1.0.0',
    });
  });

  test('leaves out an edit that has no version yet: it must still be an edit at the next look', () => {
    const before: ConfigRolloutStatus = { observed: { liveVersion: '1.0.0' } };
    const it = status({ before, live: live('new'), state: state({ intent: { want: 'wait for version' } }) });
    expect(it.observed?.liveVersion).toBe('1.0.0');
  });

  test('names the state of the config that has a problem, so that nobody waits for it in vain', () => {
    const refused = { reason: 'VersionRefused', message: 'denied' } as const;
    const observed = (mods: Partial<RolloutState>, specVersion?: string, liveVersion = '1.0.0') =>
      status({
        before: { observed: { liveVersion, liveResourceVersion: 'rv of h0' } },
        live: live('new'),
        specVersion,
        versionProblem: refused,
        state: state({ intent: { want: 'wait for version' }, ...mods }),
      }).observed;
    expect(observed({})).toMatchObject({ liveVersion: '1.0.0', liveResourceVersion: 'rv of new' });
    expect(observed({}, '1.0.1')).toMatchObject({ liveResourceVersion: 'rv of new' });
    expect(observed({ coalescing: true })).toMatchObject({ liveResourceVersion: 'rv of h0' });
    // Without a version to compare with, only this tells that the config was edited after `spec.version` was set.
    expect(observed({}, '1.0.1', '')).toMatchObject({ liveVersion: '', liveResourceVersion: 'rv of h0' });
  });

  test('has an empty version while no version has the content', () => {
    const it = status({ before: { observed: { liveVersion: '1.0.0' } }, live: live('new') });
    expect(it.observed).toMatchObject({ liveVersion: '', liveResourceVersion: 'rv of new' });
  });

  test('names the current one of several versions with the same content', () => {
    const twin = { ...v0, name: 'same as 1.0.0', object: 'foo-2', sequence: 3 };
    const its = versions.map((each, index) => ({ ...each, ...(index === 1 && twin) }));
    const named = (current: typeof v0) => status({ state: state({ versions: its, current }) }).observed;
    expect(named(twin)?.liveVersion).toBe('same as 1.0.0');
    expect(named(v1)?.liveVersion).toBe('1.0.0');
  });

  test('leaves out what a Locked config holds until it holds the current version', () => {
    const before: ConfigRolloutStatus = {
      observed: { liveVersion: '1.0.0', liveResourceVersion: 'rv of h0' },
    };
    expect(status({ before, live: live('h1'), isBehind: true }).observed).toMatchObject({
      liveVersion: '1.0.0',
      liveResourceVersion: 'rv of h1',
    });
  });

  test('leaves out an edit that is still settling: it has not been obeyed', () => {
    const before: ConfigRolloutStatus = { observed: { liveVersion: '1.0.0' } };
    const it = status({ before, live: live('h1'), state: state({ intent: wanting, coalescing: true }) });
    expect(it.observed?.liveVersion).toBe('1.0.0');
  });

  test('leaves out a wish of a person that has to wait', () => {
    const it = status({ specVersion: '1.0.1', state: state({ intent: wanting, newRequest: true }) });
    expect(it.observed?.specVersion).toBeUndefined();
  });
});

test('the time of a condition changes only when its status does', () => {
  const before = status({ now: earlier });
  expect(condition(status({ before }), 'Ready')?.lastTransitionTime).toBe(earlier);
  const moving = status({ before, activation: activation({ result: 'moving' }) });
  expect(condition(moving, 'Ready')?.lastTransitionTime).toBe(now);
});

describe('a person who asks again for what was rejected', () => {
  const before = { observed: { generation: 3, specVersion: '1.0.1', requestId: 'first' } };
  const asking = {
    before,
    specVersion: '1.0.1',
    requestId: 'second',
    state: state({ newRequest: true, intent: { ...wanting, because: 'spec' } }),
  };

  test('is heard when the activation begins', () => {
    expect(status({ ...asking, activation: activation({ result: 'moving' }) }).observed?.requestId).toBe(
      'second',
    );
  });

  test.each([
    ['while it is still being rolled back', activation({ result: 'moving' }, 'rolling-back')],
    [
      'in the moment in which it fails',
      activation({ result: 'failed', workload: 'Deployment/web', problem: crash }),
    ],
    ['when it has just been rolled back', activation({ result: 'rolled back' }, 'rolling-back')],
    ['before anything has begun', undefined],
  ])('is not forgotten %s', (_, it) => {
    expect(status({ ...asking, activation: it }).observed).toMatchObject({
      requestId: 'first',
      specVersion: '1.0.1',
    });
  });
});
