import type { CandidateVersion, RolloutState } from '../../src/core/activation/rollout-state.ts';
import type { WorkloadState } from '../../src/core/activation/types.ts';
import { assignmentHash } from '../../src/core/references/assignment.ts';
import type { ConfigKey } from '../../src/core/references/config-key.ts';
import type { WorkloadKey } from '../../src/core/workload/workload-key.ts';

// Configs and workloads as plans of activations see them. Config foo has the versions foo-0 (1.0.0, current), foo-1 and foo-2.

export const key = (config: string): ConfigKey => `ConfigMap/${config}`;
const ref = (config: string, n: number) => ({ name: `1.0.${n}`, object: `${config}-${n}` });

export const version = (config: string, n: number): CandidateVersion => ({
  ...ref(config, n),
  contentHash: `${config}${n}`,
  sequence: n + 1,
  labelledCurrent: n === 0,
  currentCount: 0,
  rejections: [],
  aborted: false,
});

/** A config at 1.0.0. */
export function staying(config: string, mods: Partial<RolloutState> = {}): RolloutState {
  return {
    config: key(config),
    versions: [0, 1, 2].map((n) => version(config, n)),
    current: ref(config, 0),
    intent: mods.running === undefined ? { want: 'stay' } : { want: 'wait for content' },
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
  };
}

/** A config whose version 1.0.`n` was requested just now. */
export const requested = (config: string, n: number, mods: Partial<RolloutState> = {}): RolloutState => ({
  ...staying(config, mods),
  newRequest: true,
  intent: { want: 'version', version: version(config, n), because: 'spec', clearSpecVersion: false },
});

export const running = (
  config: string,
  n: number,
  mods: Partial<NonNullable<RolloutState['running']>> = {},
): NonNullable<RolloutState['running']> => ({
  activation: `act-${config}-1`,
  target: ref(config, n),
  members: [key(config)],
  rollingBack: false,
  parked: false,
  hadPods: [],
  ...mods,
});

/** A workload with these versions, such as `{ foo: 0 }` for 1.0.0 of foo. */
export function workload(name: WorkloadKey, versions: Record<string, number>): WorkloadState {
  const refs = (n?: number) =>
    new Map(Object.entries(versions).map(([config, own]) => [key(config), `${config}-${n ?? own}`]));
  return {
    key: name,
    wave: 0,
    references: refs(),
    current: refs(0),
    assignment: 'ours',
    label: assignmentHash(refs()),
    record: {
      activation: 'act-foo-1',
      previous: refs(0),
      previousLabel: assignmentHash(refs(0)),
      healthyTemplate: 't',
    },
    templateHash: 't',
    observed: {
      kind: 'Deployment',
      generation: 1,
      observedGeneration: 1,
      desired: 1,
      replicas: 1,
      updated: 1,
      ready: 1,
      available: 1,
      strategy: 'RollingUpdate',
      partition: 0,
      rolledOut: true,
      stalled: false,
      paused: false,
    },
    pods: [],
  };
}
