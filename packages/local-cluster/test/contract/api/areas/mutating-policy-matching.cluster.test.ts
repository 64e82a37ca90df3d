import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { contract } from '../contract.ts';
import type { Answer } from '../http.ts';
import {
  applies,
  deniedBy,
  installMutatingPolicies,
  logOf,
  logs,
  type MutatingPolicy,
  mutatingBinding,
  mutatingBindings,
  patches,
  under,
} from '../mutating-policy-objects.ts';
import { configMap, deployment } from '../objects.ts';
import { configMapRules } from '../policy-objects.ts';
import { refused } from '../statuses.ts';
import { once, type Target } from '../target.ts';
import { groupOf, widget, widgets } from '../widgets.ts';

const configMaps = configMapRules('CREATE', 'UPDATE');

const note = (expression: string) =>
  applies(`Object{metadata: Object.metadata{annotations: {'seen': ${expression}}}}`);

const widgetRules = (target: Target, more: object = {}) => ({
  resourceRules: [
    {
      apiGroups: [groupOf(target)],
      apiVersions: ['v1'],
      operations: ['CREATE', 'UPDATE'],
      resources: ['widgets'],
    },
  ],
  ...more,
});

const coreRules = (resource: string, more: object = {}) => ({
  resourceRules: [
    { apiGroups: ['', 'apps'], apiVersions: ['v1'], operations: ['*'], resources: [resource], ...more },
  ],
});

/** Matches objects by the label `policy` only, in whichever namespace they are. */
const anywhere = (policy: string) => ({ matchResources: { objectSelector: { matchLabels: { policy } } } });

const policiesOf = (target: Target): Record<string, MutatingPolicy> => ({
  names: {
    spec: {
      matchConstraints: { resourceRules: [{ ...configMaps[0], resourceNames: ['chosen'] }] },
      mutations: logs('names'),
    },
  },
  excluded: {
    spec: {
      matchConstraints: {
        resourceRules: configMaps,
        excludeResourceRules: [{ ...configMaps[0], resourceNames: ['exempt'] }],
      },
      mutations: logs('excluded'),
    },
  },
  selected: {
    spec: {
      matchConstraints: {
        resourceRules: configMaps,
        objectSelector: { matchExpressions: [{ key: 'off', operator: 'DoesNotExist' }] },
      },
      mutations: logs('selected'),
    },
  },
  elsewhere: {
    spec: {
      matchConstraints: {
        resourceRules: configMaps,
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
      },
      mutations: logs('elsewhere'),
    },
  },
  bound: {
    spec: { mutations: logs('bound') },
    binding: {
      matchResources: {
        objectSelector: { matchLabels: { policy: 'bound' } },
        resourceRules: [{ ...configMaps[0], operations: ['UPDATE'] }],
      },
    },
  },
  generated: { spec: { mutations: note("string(has(request.name)) + ' ' + object.metadata.generateName") } },
  equivalent: {
    spec: {
      matchConstraints: widgetRules(target),
      mutations: [
        ...note("object.apiVersion.split('/')[1] + ' of ' + request.requestKind.version"),
        ...patches("[JSONPatch{op: 'replace', path: '/spec/size', value: object.spec.size + 1}]"),
        ...applies(
          "Object{spec: Object.spec{tags: ['two'], parts: [Object.spec.parts{name: 'a', count: 7}, Object.spec.parts{name: 'b'}], free: {'any': 'thing'}}}",
        ),
      ],
    },
  },
  exact: {
    spec: { matchConstraints: widgetRules(target, { matchPolicy: 'Exact' }), mutations: note("'exact'") },
  },
  'unknown-in-custom': {
    spec: {
      matchConstraints: widgetRules(target),
      mutations: applies('Object{spec: Object.spec{strange: 1}}'),
    },
  },
  namespaces: {
    spec: {
      matchConstraints: { ...coreRules('namespaces', { operations: ['CREATE'] }), namespaceSelector: {} },
      mutations: note("string(namespaceObject == null) + ' ' + request.name"),
    },
    binding: anywhere('namespaces'),
  },
  cluster: {
    spec: {
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ['rbac.authorization.k8s.io'],
            apiVersions: ['*'],
            operations: ['CREATE'],
            resources: ['clusterroles'],
            scope: 'Cluster',
          },
        ],
      },
      mutations: note(
        "[has(request.namespace), has(request.subResource), has(request.userInfo.uid), has(request.options.dryRun)].map(x, string(x)).join(' ')",
      ),
    },
    binding: anywhere('cluster'),
  },
  status: {
    spec: { matchConstraints: coreRules('*/status'), mutations: note('request.subResource') },
    binding: anywhere('status'),
  },
  'two-bindings': { spec: { mutations: logs('two') } },
});

const installed = once(async (target: Target) => {
  await widgets(target);
  const policyName = `${target.namespace}-two-bindings`;
  await target.createForAll(mutatingBindings, {
    ...mutatingBinding(target, 'two-bindings', { policyName }),
    metadata: { name: `${target.namespace}-another` },
  });
  await installMutatingPolicies(target, policiesOf(target));
  await waitFor('the schema of the custom kind is known to policies', async () => {
    const { code, text } = await createWidget(target, 'v1', 'probe', 'equivalent', { dryRun: 'All' });
    return code === 201 ? { met: true } : { seen: text };
  });
});

function createWidget(
  target: Target,
  version: string,
  name: string,
  policy: string,
  query: Record<string, string> = {},
) {
  const apiVersion = `${groupOf(target)}/${version}`;
  const parts = [{ name: 'a' }, { name: 'c', count: 3 }];
  const object = {
    ...widget(target, name, { tags: ['t1'], parts }),
    apiVersion,
    metadata: { name, labels: { policy } },
  };
  return target.api.post(target.group(apiVersion, 'widgets'), object, { query });
}

async function create(target: Target, policy: string, name: string, labels: object = {}) {
  await installed(target);
  const object = under(policy, name);
  const metadata = { ...object.metadata, labels: { policy, ...labels } };
  return target.api.post(target.core('configmaps'), { ...object, metadata });
}

const seen = ({ body, text, code }: Answer) => {
  expect(code, text).toBeLessThan(300);
  return body.metadata.annotations?.['seen'];
};

contract('matching of mutating admission policies', (it) => {
  it('rules can name objects', async (target) => {
    expect(logOf(await create(target, 'names', 'chosen'))).toBe('names ');
    expect(logOf(await create(target, 'names', 'other'))).toBe('');
  });

  it('rules can exclude objects', async (target) => {
    expect(logOf(await create(target, 'excluded', 'included'))).toBe('excluded ');
    expect(logOf(await create(target, 'excluded', 'exempt'))).toBe('');
  });

  it('selectors choose objects and namespaces', async (target) => {
    expect(logOf(await create(target, 'selected', 'on'))).toBe('selected ');
    expect(logOf(await create(target, 'selected', 'off', { off: 'yes' }))).toBe('');
    expect(logOf(await create(target, 'elsewhere', 'here'))).toBe('');
  });

  it('a binding can narrow what its policy matches', async (target) => {
    expect(logOf(await create(target, 'bound', 'narrow'))).toBe('');
    const path = target.core('configmaps/narrow');
    expect(logOf(await target.api.patch(path, 'merge', { data: { a: 'b' } }))).toBe('bound ');
  });

  it('a policy without a binding for the object does nothing', async (target) => {
    expect(logOf(await create(target, 'nothing', 'unbound'))).toBe('');
  });

  it('a policy runs once for each of its bindings', async (target) => {
    expect(logOf(await create(target, 'two-bindings', 'twice'))).toBe('two two ');
  });

  it('a generated name is not known yet', async (target) => {
    await installed(target);
    const metadata = { generateName: 'some-', labels: { policy: 'generated' } };
    const answer = await target.api.post(target.core('configmaps'), configMap(metadata));
    expect(seen(answer)).toBe('false some-');
  });

  for (const version of ['v1', 'v1beta1'])
    it(`a custom resource of ${version} is mutated in the version that the policy names`, async (target) => {
      await installed(target);
      const answer = await createWidget(target, version, `equivalent-${version}`, 'equivalent');
      expect(seen(answer)).toBe(`v1 of ${version}`);
      expect(answer.body.apiVersion).toBe(`${groupOf(target)}/${version}`);
      expect(answer.body['spec']).toMatchObject({
        size: 2,
        tags: ['t1', 'two'],
        parts: [
          { name: 'a', count: 7 },
          { name: 'c', count: 3 },
          { name: 'b', count: 1 },
        ],
        free: { any: 'thing' },
      });
    });

  it('a policy that matches exactly does not see other versions', async (target) => {
    await installed(target);
    expect(seen(await createWidget(target, 'v1', 'exact', 'exact'))).toBe('exact');
    expect(seen(await createWidget(target, 'v1beta1', 'exact-beta', 'exact'))).toBeUndefined();
  });

  it('fields that a custom kind does not have cannot be applied', async (target) => {
    await installed(target);
    refused(
      target,
      await createWidget(target, 'v1', 'strange', 'unknown-in-custom'),
      deniedBy({ resource: 'widgets.NAMESPACE.example.com', name: 'strange' }, 'Invalid', [
        'unknown-in-custom',
        'error applying patch: failed to convert patch object to typed object: .spec.strange: field not declared in schema',
      ]),
    );
  });

  it('a namespace is mutated, and has no namespace', async (target) => {
    await installed(target);
    const name = `${target.namespace}-mutated`;
    const answer = await target.api.post(
      '/api/v1/namespaces',
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { policy: 'namespaces' } } },
      { query: { dryRun: 'All' } },
    );
    expect(seen(answer)).toBe(`true ${name}`);
  });

  it('an object of the cluster is mutated', async (target) => {
    await installed(target);
    const rbac = 'rbac.authorization.k8s.io/v1';
    const name = `${target.namespace}-role`;
    const role = {
      apiVersion: rbac,
      kind: 'ClusterRole',
      metadata: { name, labels: { policy: 'cluster' } },
      rules: [],
    };
    const answer = await target.api.post(`/apis/${rbac}/clusterroles`, role, { query: { dryRun: 'All' } });
    expect(seen(answer)).toBe('false false false true');
  });

  it('a write of the status is mutated by policies that name it', async (target) => {
    await installed(target);
    const object = deployment({ name: 'stated', labels: { policy: 'status' } });
    expect(seen(await target.api.post(target.apps('deployments'), object))).toBeUndefined();
    const path = target.apps('deployments/stated/status');
    const answer = await target.api.patch(path, 'merge', { status: { observedGeneration: 1 } });
    expect(seen(answer)).toBe('status');
  });
});
