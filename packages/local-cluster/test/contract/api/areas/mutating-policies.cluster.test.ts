import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { contract } from '../contract.ts';
import {
  applies,
  deniedBy,
  installMutatingPolicies,
  logOf,
  logs,
  type MutatingPolicy,
  mutatingBinding,
  mutatingBindings,
  mutatingPolicies,
  mutatingPolicy,
  patches,
  under,
} from '../mutating-policy-objects.ts';
import { deployment } from '../objects.ts';
import { configMapRules } from '../policy-objects.ts';
import { internalError, invalid, type Refusal, refused } from '../statuses.ts';
import { once, type Target } from '../target.ts';
import { labelValue } from '../texts.ts';
import { widget, widgetPath, widgets } from '../widgets.ts';

/** A custom kind: an API server stops reading parameters of built-in kinds once the first policy is deleted. */
const widgetKind = { kind: 'Widget' };

const deploymentRules = [
  { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['*'], resources: ['deployments'] },
];

/** `T` stands for `Object.spec.template.spec`. */
const onDeployments = (expression: string) => ({
  matchConstraints: { resourceRules: deploymentRules },
  mutations: applies(
    expression.replaceAll('T{', 'Object.spec.template.spec{').replaceAll('T.', 'Object.spec.template.spec.'),
  ),
});

const podSpec = (fields: string) =>
  `Object{spec: Object.spec{template: Object.spec.template{spec: T{${fields}}}}}`;

/** Each policy applies only to objects whose label `policy` is its name. */
const all: Record<string, MutatingPolicy> = {
  patch: {
    spec: {
      mutations: patches(
        `[
          JSONPatch{op: 'test', path: '/data/a', value: '1'},
          JSONPatch{op: 'replace', path: '/data/a', value: '2'},
          JSONPatch{op: 'copy', from: '/data/a', path: '/data/b'},
          JSONPatch{op: 'move', from: '/data/old', path: '/data/new'},
          JSONPatch{op: 'remove', path: '/data/gone'},
          JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey('example.com/a'), value: 'x'}
        ]`,
      ),
    },
  },
  'failed-test': {
    spec: {
      mutations: [
        ...patches(
          `[JSONPatch{op: 'replace', path: '/data/a', value: 'never'}, JSONPatch{op: 'test', path: '/data/b', value: 'other'}]`,
        ),
        ...logs('second'),
      ],
    },
  },
  values: {
    spec: {
      mutations: patches(
        `[
          JSONPatch{op: 'replace', path: '/data', value: Object.data{text: 'a' + string(object.data.size()), ?none: optional.none()}},
          JSONPatch{op: 'add', path: '/metadata/finalizers', value: ['example.com/' + object.metadata.name]},
          JSONPatch{op: 'add', path: '/metadata/finalizers/-', value: 'example.com/last'},
          JSONPatch{op: 'add', path: '/immutable', value: 1 < 2}
        ]`,
      ),
    },
  },
  apply: {
    spec: {
      mutations: applies(
        `Object{
          metadata: Object.metadata{labels: Object.metadata.labels{added: 'yes'}, annotations: {"note": string(1 + 1)}},
          ?data: has(object.data.a) ? optional.of({'a': object.data.a + '!'}) : optional.none()
        }`,
      ),
    },
  },
  containers: {
    spec: onDeployments(
      podSpec(
        `containers: [T.containers{name: 'app', env: [T.containers.env{name: 'A', value: 'b'}]}, T.containers{name: 'more', image: 'more:1'}]`,
      ),
    ),
  },
  order: {
    spec: {
      variables: [{ name: 'length', expression: 'string(object.metadata.annotations.log.size())' }],
      mutations: [
        ...logs('first', 'second'),
        ...applies(
          'Object{metadata: Object.metadata{annotations: Object.metadata.annotations{log: object.metadata.annotations.log + variables.length}}}',
        ),
        ...patches(
          "[JSONPatch{op: 'add', path: '/metadata/annotations/log', value: object.metadata.annotations.log + ' ' + variables.length}]",
        ),
      ],
    },
  },
  comprehensions: {
    spec: {
      variables: [
        {
          name: 'v',
          expression:
            "object.metadata.annotations.versions.split(',').transformMapEntry(i, p, {p.split('=')[0]: p.split('=')[1]})",
        },
      ],
      mutations: patches(
        `object.data.transformList(key, value, key in variables.v, JSONPatch{op: 'replace', path: '/data/' + key, value: variables.v[key]})
        + [['x', 'y'], ['z']].transformList(i, row, row.transformList(j, each, JSONPatch{op: 'add', path: '/data/' + each, value: string(i) + string(j)})).flatten()
        + (object.data.exists(k, v, v == 'never') ? [JSONPatch{op: 'remove', path: '/data'}] : [])`,
      ),
    },
  },
  condition: {
    spec: {
      matchConditions: [
        { name: 'not-exempt', expression: "!('exempt' in object.metadata.annotations)" },
        { name: 'named', expression: "request.name != 'nameless'" },
      ],
      mutations: logs('condition'),
    },
  },
  'bad-condition': {
    spec: {
      matchConditions: [{ name: 'bad', expression: "object.data.missing == 'x'" }],
      mutations: logs('never'),
    },
  },
  'bad-condition-ignored': {
    spec: {
      failurePolicy: 'Ignore',
      matchConditions: [{ name: 'bad', expression: "object.data.missing == 'x'" }],
      mutations: logs('never'),
    },
  },
  update: {
    spec: {
      matchConstraints: { resourceRules: configMapRules('UPDATE') },
      mutations: patches(
        "[JSONPatch{op: 'add', path: '/metadata/annotations/log', value: oldObject.data.a + ' to ' + object.data.a}]",
      ),
    },
  },
  request: {
    spec: {
      mutations: patches(
        `[JSONPatch{op: 'add', path: '/metadata/annotations/log', value: [
          request.operation, request.resource.resource, request.userInfo.username == '' ? 'nobody' : 'somebody',
          string(request.dryRun), namespaceObject.metadata.name == request.namespace ? 'here' : 'there',
          string(oldObject == null), string(authorizer.group('').resource('pods').check('list').allowed())
        ].join(' ')}]`,
      ),
    },
  },
  params: {
    spec: {
      paramKind: widgetKind,
      mutations: patches(
        "[JSONPatch{op: 'add', path: '/metadata/annotations/log', value: object.metadata.annotations.log + string(params.spec.size) + ' '}]",
      ),
    },
    binding: { paramRef: { name: 'small', parameterNotFoundAction: 'Deny' } },
  },
  'params-selected': {
    spec: {
      paramKind: widgetKind,
      mutations: patches(
        "[JSONPatch{op: 'add', path: '/data/' + params.metadata.name, value: string(params.spec.size)}]",
      ),
    },
    binding: { paramRef: { selector: { matchLabels: { params: 'yes' } }, parameterNotFoundAction: 'Deny' } },
  },
  'params-missing': {
    spec: { paramKind: widgetKind, mutations: logs('never') },
    binding: { paramRef: { name: 'nothing', parameterNotFoundAction: 'Deny' } },
  },
  'params-allowed': {
    spec: { paramKind: widgetKind, mutations: logs('never') },
    binding: { paramRef: { name: 'nothing', parameterNotFoundAction: 'Allow' } },
  },
  error: { spec: { mutations: patches("[JSONPatch{op: 'add', path: object.data.missing, value: 'x'}]") } },
  errors: {
    spec: {
      mutations: [
        ...patches("[JSONPatch{op: 'add', path: object.data.missing, value: 'x'}]"),
        ...applies('Object{data: object.data.missing}'),
      ],
    },
  },
  'error-ignored': {
    spec: {
      failurePolicy: 'Ignore',
      mutations: [
        ...patches("[JSONPatch{op: 'add', path: object.data.missing, value: 'x'}]"),
        ...logs('ignored'),
      ],
    },
  },
  'bad-path': {
    spec: { mutations: patches("[JSONPatch{op: 'add', path: '/data/nothing/here', value: 'x'}]") },
  },
  'bad-operation': {
    spec: { mutations: patches("[JSONPatch{op: 'paint', path: '/data/a', value: 'x'}]") },
  },
  'unknown-field': {
    spec: { mutations: patches("[JSONPatch{op: 'add', path: '/spec', value: {'a': 'b'}}]") },
  },
  'unknown-field-ignored': {
    spec: {
      failurePolicy: 'Ignore',
      mutations: patches("[JSONPatch{op: 'add', path: '/colour', value: 'red'}]"),
    },
  },
  'wrong-type': {
    spec: { mutations: patches("[JSONPatch{op: 'replace', path: '/data/a', value: 1}]") },
  },
  'wrong-value': {
    spec: { mutations: patches("[JSONPatch{op: 'add', path: '/metadata/labels/x', value: 'no value'}]") },
  },
  'wrong-nesting': {
    spec: { mutations: applies("Object{metadata: Object.spec{labels: {'a': 'b'}}}") },
  },
  'wrong-nesting-of-a-patch': {
    spec: {
      mutations: patches(
        "[JSONPatch{op: 'add', path: '/metadata/labels', value: Object.metadata.labels{a: Object.wrong{}}}]",
      ),
    },
  },
  'apply-unknown-field': { spec: { mutations: applies('Object{spec: Object.spec{replicas: 1}}') } },
  'apply-wrong-type': { spec: { mutations: applies("Object{metadata: 'text'}") } },
  'apply-atomic': {
    spec: onDeployments(podSpec("containers: [T.containers{name: 'app', args: ['a']}]")),
  },
  'apply-without-key': {
    spec: onDeployments(podSpec("containers: [T.containers{image: 'app:1'}]")),
  },
  'apply-selector': {
    spec: onDeployments("Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'a': 'b'}}}}"),
  },
};

const installed = once(async (target: Target) => {
  const { api } = target;
  await widgets(target);
  for (const [name, size] of [
    ['small', 1],
    ['big', 2],
  ] as const) {
    const { metadata, ...rest } = widget(target, name, { size }) as { metadata: object };
    await api.post(widgetPath(target), { ...rest, metadata: { ...metadata, labels: { params: 'yes' } } });
  }
  await installMutatingPolicies(target, all);
  await waitFor('the parameters are in force', async () => {
    const { code } = await api.post(target.core('configmaps'), under('params', 'probe'), {
      query: { dryRun: 'All' },
    });
    return code === 201 ? { met: true } : { seen: String(code) };
  });
});

async function create(
  target: Target,
  policy: string,
  { name = policy, annotations, ...more }: { name?: string; annotations?: object; data?: object } = {},
) {
  await installed(target);
  return target.api.post(target.core('configmaps'), under(policy, name, more, annotations));
}

const denied = (policy: string, why: string) =>
  deniedBy({ resource: 'configmaps', name: policy }, 'Invalid', [policy, why]);

const deniedDeployment = (policy: string, why: string) =>
  deniedBy({ resource: 'deployments.apps', name: policy }, 'Invalid', [policy, why]);

const missing = "[JSONPatch{op: 'add', path: object.data.missing, value: 'x'}]";

const denials: [what: string, policy: string, expected: Refusal][] = [
  ['fails', 'error', denied('error', `expression '${missing}' resulted in error: no such key: missing`)],
  [
    'fails more than once',
    'errors',
    deniedBy(
      { resource: 'configmaps', name: 'errors' },
      'Invalid',
      ['errors', `expression '${missing}' resulted in error: no such key: missing`],
      ['errors', "expression 'Object{data: object.data.missing}' resulted in error: no such key: missing"],
    ),
  ],
  [
    'has a condition that fails',
    'bad-condition',
    denied(
      'bad-condition',
      "expression 'object.data.missing == 'x'' resulted in error: no such key: missing",
    ),
  ],
  [
    'patches what is not there',
    'bad-path',
    denied(
      'bad-path',
      'JSON Patch: add operation does not apply: doc is missing path: "/data/nothing/here": missing value',
    ),
  ],
  [
    'does what patches cannot do',
    'bad-operation',
    denied('bad-operation', 'JSON Patch: Unexpected kind: paint'),
  ],
  [
    'adds a field that the kind does not have',
    'unknown-field',
    internalError('strict decoding error: unknown field "spec"'),
  ],
  [
    'adds such a field, whatever its failure policy is',
    'unknown-field-ignored',
    internalError('strict decoding error: unknown field "colour"'),
  ],
  [
    'sets a field to a value of another type',
    'wrong-type',
    internalError('json: cannot unmarshal number into Go struct field ConfigMap.data of type string'),
  ],
  [
    'makes the object invalid',
    'wrong-value',
    invalid('ConfigMap', 'wrong-value', `metadata.labels: Invalid value: "no value": ${labelValue}`),
  ],
  [
    'nests types wrongly',
    'wrong-nesting',
    denied(
      'wrong-nesting',
      'type mismatch: unexpected type name "Object.spec", expected "Object.metadata", which matches field name path from root Object type',
    ),
  ],
  [
    'nests types of a patch wrongly',
    'wrong-nesting-of-a-patch',
    denied(
      'wrong-nesting-of-a-patch',
      'type mismatch: unexpected type name "Object.wrong", expected "Object.metadata.labels.a", which matches field name path from root Object type',
    ),
  ],
  [
    'applies a field that the kind does not have',
    'apply-unknown-field',
    denied(
      'apply-unknown-field',
      'error applying patch: failed to convert patch object to typed object: .spec: field not declared in schema',
    ),
  ],
  [
    'applies a value of another type',
    'apply-wrong-type',
    denied(
      'apply-wrong-type',
      'error applying patch: failed to convert patch object to typed object: .metadata: expected map, got &{text}',
    ),
  ],
  [
    'has no parameters',
    'params-missing',
    deniedBy({ resource: 'configmaps', name: 'params-missing' }, 'Forbidden', [
      'params-missing',
      'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
    ]),
  ],
];

const deploymentDenials: [what: string, policy: string, why: string][] = [
  [
    'a list that belongs together',
    'apply-atomic',
    'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.template.spec.containers[0].args',
  ],
  [
    'an object that belongs together',
    'apply-selector',
    'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.selector',
  ],
];

contract('mutating admission policies', (it) => {
  it('a JSON patch tests, replaces, copies, moves, removes and adds', async (target) => {
    const { body } = await create(target, 'patch', { data: { a: '1', old: 'o', gone: 'g' } });
    expect(body['data']).toEqual({ a: '2', b: '2', new: 'o' });
    expect(body.metadata.annotations).toEqual({ log: '', 'example.com/a': 'x' });
  });

  it('a JSON patch whose test fails is left out, and the next mutation is not', async (target) => {
    const answer = await create(target, 'failed-test', { data: { a: '1', b: '2' } });
    expect(answer.body['data']).toEqual({ a: '1', b: '2' });
    expect(logOf(answer)).toBe('second ');
  });

  it('a JSON patch can have values of all types', async (target) => {
    const { body } = await create(target, 'values', { data: { x: '1', y: '2' } });
    await target.api.patch(target.core('configmaps/values'), 'merge', { metadata: { finalizers: null } });
    expect(body['data']).toEqual({ text: 'a2' });
    expect(body['immutable']).toBe(true);
    expect(body.metadata.finalizers).toEqual(['example.com/values', 'example.com/last']);
  });

  it('an apply configuration is merged', async (target) => {
    const { body } = await create(target, 'apply', { data: { a: '1', b: '2' } });
    expect(body['data']).toEqual({ a: '1!', b: '2' });
    expect(body.metadata.labels).toEqual({ policy: 'apply', added: 'yes' });
    expect(body.metadata.annotations).toEqual({ log: '', note: '2' });
    const without = await create(target, 'apply', { name: 'without', data: { b: '2' } });
    expect(without.body['data']).toEqual({ b: '2' });
  });

  it('an apply configuration merges lists by their keys, and what it adds gets defaults', async (target) => {
    await installed(target);
    const labels = { policy: 'containers' };
    const { body } = await target.api.post(
      target.apps('deployments'),
      deployment({ name: 'containers', labels }),
    );
    const { containers } = (body['spec'] as { template: { spec: { containers: object[] } } }).template.spec;
    expect(containers).toEqual([
      expect.objectContaining({ name: 'app', image: 'app:1', env: [{ name: 'A', value: 'b' }] }),
      expect.objectContaining({ name: 'more', image: 'more:1', terminationMessagePolicy: 'File' }),
    ]);
  });

  it('each mutation sees what the ones before it have made, and so do the variables', async (target) => {
    expect(logOf(await create(target, 'order'))).toBe('first second 13 15');
  });

  it('comprehensions have two variables', async (target) => {
    const { body } = await create(target, 'comprehensions', {
      data: { a: '1', b: '2', c: '3' },
      annotations: { versions: 'a=a-1,c=c-1' },
    });
    expect(body['data']).toEqual({ a: 'a-1', b: '2', c: 'c-1', x: '00', y: '01', z: '10' });
  });

  it('only an object that meets all conditions is mutated', async (target) => {
    expect(logOf(await create(target, 'condition'))).toBe('condition ');
    const exempt = await create(target, 'condition', {
      name: 'exempt',
      annotations: { log: '', exempt: '' },
    });
    expect(logOf(exempt)).toBe('');
    expect(logOf(await create(target, 'condition', { name: 'nameless' }))).toBe('');
  });

  it('only the operations that a policy names are mutated, and an update shows the old object', async (target) => {
    expect(logOf(await create(target, 'update', { data: { a: '1' } }))).toBe('');
    const path = target.core('configmaps/update');
    expect(logOf(await target.api.patch(path, 'merge', { data: { a: '2' } }))).toBe('1 to 2');
    expect((await target.api.delete(path)).code).toBe(200);
  });

  it('a policy knows the request, the namespace and who may do what', async (target) => {
    const answer = await create(target, 'request');
    expect(logOf(answer)).toBe('CREATE configmaps somebody false here true true');
    const dry = await target.api.post(target.core('configmaps'), under('request', 'dry'), {
      query: { dryRun: 'All' },
    });
    expect(logOf(dry)).toBe('CREATE configmaps somebody true here true true');
  });

  it('parameters are selected by name', async (target) => {
    expect(logOf(await create(target, 'params'))).toBe('1 ');
  });

  it('a policy runs once for each of the parameters that it selects', async (target) => {
    const { body } = await create(target, 'params-selected', { data: { a: 'b' } });
    expect(body['data']).toEqual({ a: 'b', small: '1', big: '2' });
  });

  it('parameters that are not there may be allowed', async (target) => {
    expect(logOf(await create(target, 'params-allowed'))).toBe('');
  });

  it('a condition that fails may be ignored', async (target) => {
    expect(logOf(await create(target, 'bad-condition-ignored', { data: {} }))).toBe('');
  });

  it('a mutation that fails may be ignored, and the next one is applied', async (target) => {
    expect(logOf(await create(target, 'error-ignored', { data: { a: '1' } }))).toBe('ignored ');
  });

  for (const [what, policy, expected] of denials)
    it(`a mutating policy that ${what} denies`, async (target) => {
      refused(target, await create(target, policy, { data: { a: '1' } }), expected);
    });

  for (const [what, policy, why] of deploymentDenials)
    it(`an apply configuration cannot apply ${what}`, async (target) => {
      await installed(target);
      const answer = await target.api.post(
        target.apps('deployments'),
        deployment({ name: policy, labels: { policy } }),
      );
      refused(target, answer, deniedDeployment(policy, why));
    });

  it('an item without its key is another item', async (target) => {
    await installed(target);
    refused(
      target,
      await target.api.post(
        target.apps('deployments'),
        deployment({ name: 'keyless', labels: { policy: 'apply-without-key' } }),
      ),
      invalid('Deployment.apps', 'keyless', 'spec.template.spec.containers[1].name: Required value'),
    );
  });

  it('a mutating policy whose kind of parameters is not served denies', async (target) => {
    await installed(target);
    await target.createForAll(
      mutatingPolicies,
      mutatingPolicy(target, 'no-kind', {
        paramKind: { kind: 'Gadget' },
        // Whatever the binding selects, such a policy denies all that it matches.
        matchConstraints: {
          resourceRules: configMapRules('CREATE'),
          objectSelector: { matchLabels: { policy: 'no-kind' } },
        },
        mutations: logs('never'),
      }),
    );
    await target.createForAll(
      mutatingBindings,
      mutatingBinding(target, 'no-kind', {
        paramRef: { name: 'any', namespace: target.namespace, parameterNotFoundAction: 'Allow' },
      }),
    );
    const attempt = () =>
      target.api.post(target.core('configmaps'), under('no-kind', 'no-kind'), { query: { dryRun: 'All' } });
    await waitFor('the policy is in force', async () => {
      const { code } = await attempt();
      return code === 403 ? { met: true } : { seen: String(code) };
    });
    const message = `policy "NAMESPACE-no-kind" denied request: failed to configure policy: failed to find resource referenced by paramKind: 'NAMESPACE.example.com/v1, Kind=Gadget'`;
    refused(target, await attempt(), {
      code: 403,
      reason: 'Forbidden',
      message,
      details: { name: 'no-kind', kind: 'configmaps', causes: [{ message }] },
    });
  });
});
