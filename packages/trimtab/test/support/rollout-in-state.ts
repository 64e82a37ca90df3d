import type { ConfigRollout, ConfigRolloutStatus } from '../../src/api/config-rollout.ts';
import { configRollouts } from '../../src/api/config-rollout.ts';
import type { WorkloadLine } from '../../src/core/status/workload-lines.ts';

type Status = Partial<ConfigRolloutStatus>;

/** A ConfigRollout of ConfigMap foo in namespace shop, as a controller leaves it. */
export function rolloutInState(
  status?: Status,
  { spec, ...metadata }: { spec?: Partial<ConfigRollout['spec']>; annotations?: Record<string, string> } = {},
): ConfigRollout {
  return {
    apiVersion: `${configRollouts.group}/${configRollouts.version}`,
    kind: 'ConfigRollout',
    metadata: {
      namespace: 'shop',
      name: 'configmap-foo',
      uid: 'rollout-uid',
      generation: 3,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...metadata,
    },
    spec: {
      config: { kind: 'ConfigMap', name: 'foo' },
      release: 'Auto',
      strategy: {
        bakeSeconds: 10,
        progressDeadlineSeconds: 600,
        maxRestarts: 1,
        onFailure: 'Rollback',
        ackTimeoutSeconds: 30,
        minIntervalSeconds: 0,
      },
      ...spec,
    },
    ...(status !== undefined && { status: { observed: { generation: 3 }, ...status } }),
  };
}

/** The object of a version of ConfigMap foo in the states of a test. */
export const objectOf = (version: string) =>
  `foo-${version
    .replaceAll('.', '')
    .padEnd(10, 'a')
    .replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')}`;

export const currentVersion = (version: string) => ({
  current: { version, object: objectOf(version), since: '2026-01-01T10:00:00Z' },
});

export const targetVersion = (version: string, more: Partial<ConfigRolloutStatus['target']> = {}) => ({
  target: {
    ...{ version, object: objectOf(version), activation: `a-${version}` },
    members: ['ConfigMap/foo'],
    startedAt: '2026-01-01T12:00:00Z',
    ...more,
  },
});

export function finished(version: string, result: string, reason?: string) {
  return {
    ...{ version, result },
    startedAt: '2026-01-01T12:00:00Z',
    finishedAt: '2026-01-01T12:00:04Z',
    ...(reason !== undefined && { reason }),
  };
}

export function condition(type: string, status: 'True' | 'False', reason: string, message: string) {
  return { type, status, reason, message, lastTransitionTime: '2026-01-01T12:00:00Z' };
}

export function workload(
  name: string,
  state: string,
  [updated, total]: [number, number],
  more: Partial<WorkloadLine> = {},
): WorkloadLine {
  return { kind: 'Deployment', name, mode: 'Recycle', state, updated, total, ...more };
}
