import type { ObjectMeta, OwnerReference } from '@trimtab/kube/wire.ts';
import { describe, expect, test } from 'vitest';
import type { ConfigRollout } from '../api/config-rollout.ts';
import { annotations, labels } from '../api/names.ts';
import type { ConfigId } from '../core/workload/opt-in.ts';
import type { PlannedObject } from './activation-plan.ts';
import { type OptOutPlanInput, optsInTo, planOptOut } from './opt-out-plan.ts';

const foo: ConfigId = { kind: 'ConfigMap', name: 'foo' };
const bar: ConfigId = { kind: 'ConfigMap', name: 'bar' };
const isFoo = ({ name }: ConfigId) => name === 'foo';

function workload(references: readonly string[], manage?: string): PlannedObject {
  const volumes = references.map((each, index) => ({ name: `v${index}`, configMap: { name: each } }));
  const marks = manage === undefined ? {} : { annotations: { [annotations.manage]: manage } };
  return {
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'n', uid: 'web-uid', ...marks },
    spec: { replicas: 3, template: { spec: { containers: [{ name: 'app' }], volumes } } },
  };
}

const versionOf = (config: string, version: string): ObjectMeta => ({
  labels: { [labels.versionOf]: 'uid' },
  annotations: { [annotations.config]: config, [annotations.version]: version },
});

function rolloutOf({ kind, name }: ConfigId): ConfigRollout {
  return {
    metadata: {
      name: `configmap-${name}`,
      namespace: 'n',
      annotations: { [annotations.workloads]: '["Deployment/web"]' },
    },
    spec: { config: { kind, name } },
  } as unknown as ConfigRollout;
}

const known: Record<string, ObjectMeta> = {
  foo: {},
  bar: {},
  'foo-1': versionOf('foo', '1.0.1'),
  'bar-1': versionOf('bar', '1.0.2'),
};

function input(mods: Partial<OptOutPlanInput> = {}, owners: OwnerReference[] = []): OptOutPlanInput {
  return {
    rollouts: [rolloutOf(foo), rolloutOf(bar)],
    configOf(_, { name }) {
      const metadata = known[name];
      if (metadata === undefined) return 'missing';
      return {
        metadata: name === 'foo' ? { ...metadata, ownerReferences: owners } : metadata,
        isRefused: false,
      };
    },
    versionsOf: (_, { name }) => [
      { name: '1.0.1', object: `${name}-1`, contentHash: 'same', state: 'current' },
    ],
    liveHash: () => 'same',
    ...mods,
  };
}

test('all of it: the configs, the pods and the new annotation', () => {
  expect(planOptOut(input(), workload(['foo-1', 'bar-1'], 'true'), 'all')).toEqual({
    configs: [
      { ...foo, assigned: { object: 'foo-1', version: '1.0.1' } },
      { ...bar, assigned: { object: 'bar-1', version: '1.0.2' } },
    ],
    manage: 'false',
    rolls: true,
    pods: 3,
    obstacles: [],
    owned: [],
  });
});

describe('the annotation lists what stays', () => {
  test.each([
    ['"true"', 'true', ['foo-1', 'bar-1'], 'bar'],
    ['a list', 'foo,secret/key', ['foo-1'], 'secret/key'],
    ['a list of the config alone', 'foo', ['foo-1', 'bar'], 'false'],
    ['a lost opt-in', undefined, ['foo-1', 'bar-1'], 'bar'],
    ['"false"', 'false', ['foo-1'], 'false'],
  ])('after %s', (_, manage, references, after) => {
    expect(planOptOut(input(), workload(references, manage), isFoo).manage).toBe(after);
  });
});

test('a template that names the config itself is not changed', () => {
  expect(planOptOut(input(), workload(['foo'], 'true'), 'all')).toMatchObject({
    rolls: false,
    obstacles: [],
  });
});

test('content that is not current keeps its reference, and says why', () => {
  const rejected = [{ name: '1.0.2', object: 'foo-2', contentHash: 'bad', state: 'rejected' }];
  const plan = planOptOut(
    input({ versionsOf: () => rejected, liveHash: () => 'bad' }),
    workload(['foo-1'], 'true'),
    'all',
  );
  expect(plan.obstacles).toEqual(['ConfigMap foo holds version 1.0.2, which was rolled back; edit it']);
  // Without the right to read the config, only the controller can tell.
  expect(planOptOut(input({ liveHash: () => undefined }), workload(['foo-1']), 'all').obstacles).toEqual([]);
});

test('an owner reference opts in beside a list, and not beside "false"', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'web-uid' };
  const owned = input({}, [owner]);
  expect(planOptOut(owned, workload(['foo-1', 'bar-1'], 'true'), isFoo).owned).toMatchObject([foo]);
  expect(planOptOut(owned, workload(['foo-1'], 'true'), isFoo).owned).toEqual([]);
});

test('workloads that would manage a config again are found', () => {
  const fresh = input({ rollouts: [] });
  expect(optsInTo(input(), workload(['foo-1']), foo)).toBe(true);
  expect(optsInTo(fresh, workload(['foo'], 'true'), foo)).toBe(true);
  expect(optsInTo(fresh, workload(['foo'], 'foo'), foo)).toBe(true);
  expect(optsInTo(fresh, workload(['foo'], 'bar'), foo)).toBe(false);
  expect(optsInTo(fresh, workload(['foo']), foo)).toBe(false);
  expect(optsInTo(fresh, workload(['bar'], 'true'), foo)).toBe(false);
  expect(optsInTo(fresh, workload(['foo'], 'false'), foo)).toBe(false);
});
