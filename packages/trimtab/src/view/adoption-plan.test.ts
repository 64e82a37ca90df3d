import type { ObjectMeta } from '@trimtab/kube/wire.ts';
import { describe, expect, test } from 'vitest';
import type { ConfigRollout } from '../api/config-rollout.ts';
import { annotations, labels } from '../api/names.ts';
import type { ConfigId } from '../core/workload/opt-in.ts';
import type { PlannedObject } from './activation-plan.ts';
import { type AdoptionPlanInput, adoptionPlan, planOptIn } from './adoption-plan.ts';

const foo: ConfigId = { kind: 'ConfigMap', name: 'foo' };

function workload(
  name: string,
  references: readonly string[],
  mods: Partial<ObjectMeta> = {},
): PlannedObject {
  const volumes = references.map((each, index) => ({ name: `v${index}`, configMap: { name: each } }));
  const template = { spec: { containers: [{ name: 'app', readinessProbe: {} }], volumes } };
  return { kind: 'Deployment', metadata: { name, namespace: 'n', ...mods }, spec: { replicas: 2, template } };
}

type Known = Record<string, ObjectMeta | 'refused' | 'unknown'>;

function input(known: Known, mods: Partial<AdoptionPlanInput> = {}): AdoptionPlanInput {
  return {
    workloads: [],
    rollouts: [],
    hidden: [],
    configOf(_, { name }) {
      const found = known[name];
      if (found === undefined) return 'missing';
      if (found === 'unknown') return found;
      return found === 'refused' ? { metadata: {}, isRefused: true } : { metadata: found, isRefused: false };
    },
    ...mods,
  };
}

function rolloutOf({ kind, name }: ConfigId, version: string): ConfigRollout {
  return {
    metadata: { name: `configmap-${name}`, namespace: 'n' },
    spec: { config: { kind, name } },
    status: { current: { version } },
  } as ConfigRollout;
}

const all = { mode: 'all' } as const;

describe('the version that a workload gets', () => {
  test.each<[what: string, metadata: ObjectMeta, rollouts: ConfigRollout[], version: string, isNew: boolean]>(
    [
      ['is 1.0.0 for a config that is not managed', {}, [], '1.0.0', true],
      [
        'has the name of the annotation',
        { annotations: { [annotations.version]: 'spring' } },
        [],
        'spring',
        true,
      ],
      ['is the current one of a managed config', {}, [rolloutOf(foo, '1.0.7')], '1.0.7', false],
    ],
  )('%s', (_, metadata, rollouts, version, isNew) => {
    const plan = planOptIn(input({ foo: metadata }, { rollouts }), workload('web', ['foo']), all);
    expect(plan).toMatchObject({
      configs: [{ ...foo, version, isNew }],
      unmanaged: [],
      rolls: true,
      pods: 2,
    });
  });

  test('of another namespace is not its own', () => {
    const elsewhere = rolloutOf(foo, '1.0.7');
    elsewhere.metadata.namespace = 'other';
    const plan = planOptIn(input({ foo: {} }, { rollouts: [elsewhere] }), workload('web', ['foo']), all);
    expect(plan.configs).toMatchObject([{ version: '1.0.0' }]);
  });

  test('is assumed to be the first one where the caller may not look', () => {
    const plan = planOptIn(input({ foo: 'unknown' }), workload('web', ['foo']), all);
    expect(plan.configs).toMatchObject([{ version: '1.0.0', isNew: true }]);
  });
});

test('what cannot have versions stays as it is', () => {
  const bad = { annotations: { [annotations.version]: 'current' } };
  const plan = planOptIn(
    input({ token: 'refused', bad, foo: {} }),
    workload('web', ['token', 'gone', 'bad', 'foo', 'foo']),
    all,
  );
  expect(plan.configs.map(({ name }) => name)).toEqual(['foo']);
  expect(plan.unmanaged).toMatchObject([
    { name: 'token', reason: 'it is a credential of the cluster, which cannot have versions' },
    { name: 'gone', reason: 'it does not exist' },
    { name: 'bad', reason: expect.stringContaining("'current' is reserved") },
  ]);
});

test('a workload whose template names versions already is not replaced', () => {
  const version = {
    labels: { [labels.versionOf]: 'uid' },
    annotations: { [annotations.config]: 'foo', [annotations.version]: '1.0.1' },
  };
  const plan = planOptIn(
    input({ foo: {}, 'foo-abc': version }, { rollouts: [rolloutOf(foo, '1.0.1')] }),
    workload('web', ['foo-abc']),
    all,
  );
  expect(plan).toMatchObject({ configs: [{ ...foo, version: '1.0.1' }], rolls: false });
});

test('a list of configs leaves the others alone', () => {
  const plan = planOptIn(input({ foo: {}, bar: {} }), workload('web', ['foo', 'bar']), {
    mode: 'some',
    configs: [foo],
  });
  expect(plan.configs.map(({ name }) => name)).toEqual(['foo']);
  expect(plan.unmanaged).toEqual([]);
});

test('the pods of a workload that wants reloads are replaced only where they lack the agent', () => {
  const web = workload('web', ['foo'], { annotations: { [annotations.restart]: 'false' } });
  expect(planOptIn(input({ foo: {} }), web, all)).toMatchObject({ how: 'reload', rolls: true, warnings: [] });
});

test('who has decided is left out', () => {
  const manage = (value: string) => ({ annotations: { [annotations.manage]: value } });
  const plan = adoptionPlan(
    input(
      { foo: {} },
      {
        workloads: [
          workload('zebra', ['foo']),
          workload('web', ['foo'], { namespace: 'm' }),
          workload('plain', []),
          workload('in', ['foo'], manage('true')),
          workload('out', ['foo'], manage('false')),
          workload('some', ['foo'], manage('foo')),
          workload('typo', ['foo'], manage('TRUE!')),
          workload('lost', ['gone']),
        ],
        hidden: ['secrets', 'daemonsets'],
      },
    ),
  );
  expect(plan.workloads.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(['m/web', 'n/zebra']);
  expect(plan.managed).toBe(1);
  expect(Object.fromEntries(plan.skipped.map(({ name, reason }) => [name, reason]))).toEqual({
    out: 'It has opted out with trimtab.dev/manage: "false"',
    some: 'Its annotation trimtab.dev/manage lists the configs to manage',
    typo: expect.stringContaining('is not valid'),
    lost: 'None of the configs that it references can be managed',
  });
  expect(plan.warnings).toEqual([
    'You may not list secrets: the plan assumes that all referenced Secrets exist and can have versions',
    'You may not list daemonsets: the plan does not include them',
  ]);
});

test('who deploys the workload is named, because it may undo the opt-in', () => {
  const owner = { apiVersion: 'v1', kind: 'Prometheus', name: 'k8s', uid: 'u', controller: true };
  const web = workload('web', ['foo'], {
    ownerReferences: [owner],
    labels: { 'kustomize.toolkit.fluxcd.io/name': 'apps' },
    annotations: {
      'meta.helm.sh/release-name': 'shop',
      'argocd.argoproj.io/tracking-id': 'shop:apps/Deployment:n/web',
    },
  });
  expect(planOptIn(input({ foo: {} }), web, all).warnings).toEqual([
    'Prometheus k8s controls the workload, and may revert changes to it',
    'Helm release shop installs the workload: add the annotation trimtab.dev/manage to the chart, too',
    'Argo CD application shop syncs the workload: add the annotation trimtab.dev/manage to its source, and exclude the references to configs with ignoreDifferences',
    'Flux (apps) applies the workload: add the annotation trimtab.dev/manage to its source, too',
  ]);
});
