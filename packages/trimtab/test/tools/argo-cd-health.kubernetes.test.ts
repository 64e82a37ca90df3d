import type { KubeObject } from '@trimtab/kube/wire.ts';
import { expect, test } from 'vitest';
import type { ConfigRolloutStatus } from '../../src/api/config-rollout.ts';
import { type ActivationOutcome, noMemory } from '../../src/core/activation/types.ts';
import { rolloutStatus } from '../../src/core/status/rollout-status.ts';
import type { StatusInput } from '../../src/core/status/status-input.ts';
import type { PodProblem } from '../../src/core/workload/pod-failure.ts';
import { key, staying, version } from '../support/activation-states.ts';
import { rolloutInState } from '../support/rollout-in-state.ts';
import { healthOf } from './support/argo-cd.ts';

const foo = key('foo');
const crash: PodProblem = {
  reason: 'CrashLoopBackOff',
  pod: 'web-x',
  container: 'app',
  exitCode: 3,
  message: 'no such port',
};

/** The status that the controller writes; by default of a config at rest. */
function statusOf(mods: Partial<StatusInput>): ConfigRolloutStatus {
  return rolloutStatus({
    before: undefined,
    generation: 3,
    state: staying('foo'),
    live: { hash: 'foo0', resourceVersion: '7' },
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
    now: '2026-11-15T12:00:00Z',
    ...mods,
  });
}

function activating(
  outcome: ActivationOutcome,
  phase: 'moving' | 'rolling-back' = 'moving',
): Partial<StatusInput> {
  const plan = { commands: [], outcome, workloads: new Map(), memory: noMemory };
  const members = [{ config: foo, target: version('foo', 1) }];
  const { rules } = staying('foo');
  return { activation: { activation: { id: 'act-1', phase, members, rules }, plan, by: undefined } };
}

const wanted = {
  want: 'version',
  version: version('foo', 1),
  because: 'edit',
  clearSpecVersion: false,
} as const;
const wantingNew = { state: staying('foo', { intent: wanted }) };
const paused = { ...staying('foo').rules, paused: true };
const web = 'Deployment/web' as const;

const cases: [state: string, input: Partial<StatusInput>, expected: { status: string; message: RegExp }][] = [
  ['at rest', {}, { status: 'Healthy', message: /^Version 1\.0\.0 is current$/ }],
  ['done', activating({ result: 'done' }), { status: 'Healthy', message: /1\.0\.1 is current/ }],
  [
    'at rest with a warning',
    { optInLost: [web] },
    { status: 'Healthy', message: /^Version 1\.0\.0 is current$/ },
  ],
  [
    'without a version',
    { state: staying('foo', { versions: [], current: undefined }) },
    { status: 'Progressing', message: /^No version exists yet$/ },
  ],
  [
    'rolling out',
    activating({ result: 'moving' }),
    { status: 'Progressing', message: /^Rolling out version 1\.0\.1: 0 of 0 workloads updated$/ },
  ],
  [
    'rolling back what a person aborted',
    activating({ result: 'moving' }, 'rolling-back'),
    { status: 'Progressing', message: /^Rolling back version 1\.0\.1/ },
  ],
  [
    'failed',
    activating({ result: 'failed', workload: web, problem: crash }),
    { status: 'Degraded', message: /^Version 1\.0\.1 failed on Deployment web: .*no such port/ },
  ],
  [
    'rolled back',
    { ...wantingNew, ...activating({ result: 'rolled back' }, 'rolling-back'), rejected: 'crash' },
    { status: 'Degraded', message: /^Version 1\.0\.1 was rolled back: / },
  ],
  [
    'rejected',
    { ...wantingNew, rejected: 'crash' },
    { status: 'Degraded', message: /^Version 1\.0\.1 was rolled back: / },
  ],
  [
    'aborted',
    activating({ result: 'aborted', workload: web }),
    { status: 'Degraded', message: /^Version 1\.0\.1 was aborted/ },
  ],
  [
    'rollback failed',
    { ...activating({ result: 'moving' }, 'rolling-back'), denied: 'denied by policy p' },
    { status: 'Degraded', message: /^denied by policy p$/ },
  ],
  [
    'without a config',
    {
      state: staying('foo', { versions: [], current: undefined }),
      live: undefined,
      versionProblem: { reason: 'ConfigNotFound', message: 'ConfigMap foo does not exist' },
    },
    { status: 'Degraded', message: /^ConfigMap foo does not exist$/ },
  ],
  [
    'stopped at a workload that cannot be judged',
    activating({ result: 'stuck', workload: web, problem: crash }),
    { status: 'Degraded', message: /^Version 1\.0\.1 cannot be judged on Deployment web/ },
  ],
  [
    'paused while a version waits',
    { state: staying('foo', { intent: wanted, rules: paused }) },
    { status: 'Suspended', message: /paused by spec\.paused/ },
  ],
  [
    'paused in a rollout',
    activating({ result: 'paused' }),
    { status: 'Suspended', message: /^Rollout of version 1\.0\.1 is paused/ },
  ],
  [
    'parked',
    activating({ result: 'parked', workload: web }),
    { status: 'Suspended', message: /^Version 1\.0\.1 is parked: / },
  ],
];

test('the health check follows the conditions of a ConfigRollout', async () => {
  const objects = cases.map(([, input]) => rolloutInState(statusOf(input)) as KubeObject);
  const healths = await healthOf(objects);
  const named = cases.map(([state], index) => ({ state, ...healths[index] }));
  const expected = cases.map(([state, , { status, message }]) => ({
    state,
    status,
    message: expect.stringMatching(message),
  }));
  expect(named).toEqual(expected);
});

test('a ConfigRollout that the controller has not observed is Progressing', async () => {
  const status = statusOf({});
  const changed = rolloutInState({ ...status, observedGeneration: 2 }) as KubeObject;
  const created = rolloutInState() as KubeObject;
  const progressing = {
    status: 'Progressing',
    message: 'Waiting for Trimtab to observe this ConfigRollout',
  };
  expect(await healthOf([changed, created])).toEqual([progressing, progressing]);
});
