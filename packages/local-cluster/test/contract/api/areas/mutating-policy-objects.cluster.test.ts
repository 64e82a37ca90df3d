import { expect } from 'vitest';
import { contract } from '../contract.ts';
import {
  applies,
  mutatingBinding,
  mutatingBindings,
  mutatingPolicies,
  mutatingPolicy,
  patches,
} from '../mutating-policy-objects.ts';
import { configMapRules } from '../policy-objects.ts';
import { invalid, refuses } from '../statuses.ts';
import { asTable, cells, tableOf } from '../table-objects.ts';

const refusedPolicy = (...causes: string[]) =>
  invalid('MutatingAdmissionPolicy.admissionregistration.k8s.io', 'NAMESPACE-bad', ...causes);

const first = 'spec.mutations[0]';

const badPolicies: [why: string, spec: object, causes: string[]][] = [
  [
    'no mutations and no rules',
    { mutations: [], matchConstraints: { resourceRules: [] } },
    [
      'spec.matchConstraints.resourceRules: Required value',
      'spec.mutations: Required value: mutations must contain at least one item',
    ],
  ],
  ['nothing to match', { matchConstraints: undefined }, ['spec.matchConstraints: Required value']],
  [
    'rules that select nothing',
    { matchConstraints: { resourceRules: [{}], matchPolicy: 'Similar' } },
    [
      'spec.matchConstraints.matchPolicy: Unsupported value: "Similar": supported values: "Equivalent", "Exact"',
      'spec.matchConstraints.resourceRules[0].operations: Required value',
      'spec.matchConstraints.resourceRules[0].apiGroups: Required value',
      'spec.matchConstraints.resourceRules[0].apiVersions: Required value',
      'spec.matchConstraints.resourceRules[0].resources: Required value',
    ],
  ],
  [
    'deletions, which have no object',
    { matchConstraints: { resourceRules: configMapRules('CREATE', 'DELETE') } },
    [
      'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
    ],
  ],
  ['no reinvocation policy', { reinvocationPolicy: undefined }, ['spec.reinvocationPolicy: Required value']],
  [
    'policies that are none',
    { reinvocationPolicy: 'Often', failurePolicy: 'Shrug' },
    [
      'spec.failurePolicy: Unsupported value: "Shrug": supported values: "Fail", "Ignore"',
      'spec.reinvocationPolicy: Unsupported value: "Often": supported values: "IfNeeded", "Never"',
    ],
  ],
  [
    'a patch type that is none',
    { mutations: [{ patchType: 'Magic' }] },
    [`${first}.patchType: Unsupported value: "Magic": supported values: "ApplyConfiguration", "JSONPatch"`],
  ],
  ['no patch type', { mutations: [{ patchType: '' }] }, [`${first}.patchType: Required value`]],
  [
    'an expression for the other patch type',
    {
      mutations: [
        { patchType: 'JSONPatch', applyConfiguration: { expression: 'Object{}' } },
        { patchType: 'ApplyConfiguration', jsonPatch: { expression: '[]' } },
      ],
    },
    [
      `${first}.jsonPatch: Required value: must be specified when patchType is JSONPatch`,
      `${first}.applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch`,
      'spec.mutations[1].applyConfiguration: Required value: must be specified when patchType is ApplyConfiguration',
      'spec.mutations[1].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration',
    ],
  ],
  [
    'no expressions',
    { mutations: [...patches(' '), ...applies('')] },
    [
      `${first}.jsonPatch.expression: Required value`,
      'spec.mutations[1].applyConfiguration.expression: Required value',
    ],
  ],
  [
    'an expression that is no CEL',
    { mutations: patches('[JSONPatch{') },
    [`${first}.jsonPatch.expression: Invalid value: "[JSONPatch{": compilation failed: Syntax error …`],
  ],
  [
    'patches of other types',
    {
      mutations: patches(
        "JSONPatch{op: 'add'}",
        '[]',
        'object.x',
        "['a']",
        'object.x.map(y, y)',
        "{'a': [1]}",
        'null',
      ),
    },
    [
      ['0', "JSONPatch{op: 'add'}", 'JSONPatch'],
      ['1', '[]', 'list(dyn)'],
      ['2', 'object.x', 'dyn'],
      ['3', "['a']", 'list(string)'],
      ['4', 'object.x.map(y, y)', 'list(dyn)'],
      ['5', "{'a': [1]}", 'map(string, list(int))'],
      ['6', 'null', 'null_type'],
    ].map(
      ([index, expression, type]) =>
        `spec.mutations[${index}].jsonPatch.expression: Invalid value: "${expression}": must evaluate to list(JSONPatch) but got ${type}`,
    ),
  ],
  [
    'configurations that are no objects',
    { mutations: applies('Object.spec{a: 1}', "{'a': 1}", 'object') },
    [
      ['0', 'Object.spec{a: 1}', 'Object.spec'],
      ['1', "{'a': 1}", 'map(string, int)'],
      ['2', 'object', 'dyn'],
    ].map(
      ([index, expression, type]) =>
        `spec.mutations[${index}].applyConfiguration.expression: Invalid value: "${expression}": must evaluate to Object but got ${type}`,
    ),
  ],
  [
    'types that are not there',
    { mutations: patches('[Foo{a: 1}]') },
    [
      `${first}.jsonPatch.expression: Invalid value: "[Foo{a: 1}]": compilation failed: ERROR: <input>:1:5: undeclared reference to 'Foo' (in container '')\\n | [Foo{a: 1}]\\n | ....^`,
    ],
  ],
  [
    'a field of another type',
    { mutations: patches('[JSONPatch{op: 1}]') },
    [
      `${first}.jsonPatch.expression: Invalid value: "[JSONPatch{op: 1}]": compilation failed: ERROR: <input>:1:14: expected type of field 'op' is 'string' but provided type is 'int'\\n | [JSONPatch{op: 1}]\\n | .............^`,
    ],
  ],
  [
    'patches outside of mutations, and conditions that are none',
    {
      variables: [{ name: 'v', expression: "JSONPatch{op: 'x'}" }],
      matchConditions: [
        { name: 'm', expression: '' },
        { name: 'm', expression: 'variables.v' },
        { name: '', expression: '1' },
      ],
    },
    [
      'spec.matchConditions[0].expression: Required value',
      `spec.matchConditions[1].expression: Invalid value: "variables.v": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\\n | variables.v\\n | ^`,
      'spec.matchConditions[1].name: Duplicate value: "m"',
      'spec.matchConditions[2].expression: Invalid value: "1": must evaluate to bool but got int',
      'spec.matchConditions[2].name: Required value',
      `spec.variables[0].expression: Invalid value: "JSONPatch{op: 'x'}": compilation failed: ERROR: <input>:1:10: undeclared reference to 'JSONPatch' (in container '')\\n | JSONPatch{op: 'x'}\\n | .........^`,
    ],
  ],
  [
    'params without a kind of params',
    { mutations: applies('Object{data: params.data}') },
    [
      `${first}.applyConfiguration.expression: Invalid value: "Object{data: params.data}": compilation failed: ERROR: <input>:1:14: undeclared reference to 'params' (in container '')\\n | Object{data: params.data}\\n | .............^`,
    ],
  ],
];

const refusedBinding = (...causes: string[]) =>
  invalid('MutatingAdmissionPolicyBinding.admissionregistration.k8s.io', 'NAMESPACE-bad', ...causes);

const badBindings: [why: string, more: object, causes: string[]][] = [
  ['no policy', { policyName: '' }, ['spec.policyName: Required value']],
  [
    'parameters without a name',
    { paramRef: { parameterNotFoundAction: 'Deny' } },
    ['spec.paramRef: Required value: one of name or selector must be specified'],
  ],
  [
    'parameters by name and selector',
    { paramRef: { name: 'a', selector: {} } },
    [
      'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.parameterNotFoundAction: Required value',
    ],
  ],
  [
    'deletions',
    { matchResources: { resourceRules: configMapRules('DELETE') } },
    [
      'spec.matchResources.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
    ],
  ],
];

/** Messages of the parser differ between the engines; those of the type checks do not. */
const withoutParser = (text: string) =>
  text.replaceAll(/ERROR: \S+:\d+:\d+: Syntax error(?:[^"\\]|\\.)*/g, 'Syntax error …');

contract('mutating admission policies as objects', (it) => {
  for (const [why, spec, causes] of badPolicies)
    it(
      `a mutating policy with ${why} is refused`,
      refuses(
        async (target) => {
          const whole = { mutations: patches("[JSONPatch{op: 'add'}]"), ...spec };
          const answer = await target.api.post(mutatingPolicies, mutatingPolicy(target, 'bad', whole));
          return { ...answer, text: withoutParser(answer.text) };
        },
        refusedPolicy(...causes.map((each) => each.replaceAll('\\n', '\n'))),
      ),
    );

  for (const [why, more, causes] of badBindings)
    it(
      `a binding of a mutating policy with ${why} is refused`,
      refuses(
        (target) => target.api.post(mutatingBindings, mutatingBinding(target, 'bad', more)),
        refusedBinding(...causes),
      ),
    );

  it('a mutating policy gets its defaults', async (target) => {
    const object = mutatingPolicy(target, 'defaults', {
      failurePolicy: undefined,
      matchConstraints: {
        resourceRules: configMapRules('CREATE', 'UPDATE'),
        namespaceSelector: undefined,
      },
      mutations: patches("[JSONPatch{op: 'add'}]"),
    });
    const { body } = await target.api.post(mutatingPolicies, object, { query: { dryRun: 'All' } });
    expect(body['spec']).toEqual({
      failurePolicy: 'Fail',
      reinvocationPolicy: 'Never',
      matchConstraints: {
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        resourceRules: [{ ...configMapRules('CREATE', 'UPDATE')[0], scope: '*' }],
      },
      mutations: patches("[JSONPatch{op: 'add'}]"),
    });
    expect(body.metadata.generation).toBe(1);
    expect(body).not.toHaveProperty('status');
  });

  it('a binding of a mutating policy gets its defaults, and needs no policy', async (target) => {
    const object = mutatingBinding(target, 'defaults', { matchResources: {} });
    const { code, body } = await target.api.post(mutatingBindings, object, { query: { dryRun: 'All' } });
    expect(code).toBe(201);
    expect(body['spec']).toEqual({
      policyName: `${target.namespace}-defaults`,
      matchResources: { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} },
    });
    expect(body.metadata.generation).toBe(1);
  });

  it('tables show what a mutating policy has, and what its binding refers to', async (target) => {
    const name = `${target.namespace}-shown`;
    await target.createForAll(
      mutatingPolicies,
      mutatingPolicy(target, 'shown', {
        paramKind: { kind: 'Widget' },
        mutations: [...patches("[JSONPatch{op: 'add'}]"), ...applies('Object{}')],
      }),
    );
    const { apiVersion } = mutatingPolicy(target, 'shown', { paramKind: {} }).spec.paramKind as {
      apiVersion: string;
    };
    const policy = await target.api.get(`${mutatingPolicies}/${name}`, { headers: asTable });
    expect(tableOf(policy).columnDefinitions.map((each) => each.name)).toEqual([
      'Name',
      'Mutations',
      'ParamKind',
      'Age',
    ]);
    expect(cells(policy)).toEqual([[name, 2, `${apiVersion}/Widget`, 'AGE']]);
    const selector = {
      matchLabels: { b: 'c', a: 'b' },
      matchExpressions: [{ key: 'k', operator: 'In', values: ['x', 'y'] }],
    };
    const refs: [paramRef: object | undefined, text: string][] = [
      [undefined, '<unset>'],
      [{ name: 'any' }, '*/any'],
      [{ name: 'any', namespace: 'some' }, 'some/any'],
      [
        { selector },
        '&LabelSelector{MatchLabels:map[string]string{a: b,b: c,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}',
      ],
    ];
    for (const [index, [paramRef, text]] of refs.entries()) {
      const more =
        paramRef === undefined ? {} : { paramRef: { parameterNotFoundAction: 'Deny', ...paramRef } };
      const object = mutatingBinding(target, `shown-${index}`, { policyName: 'none', ...more });
      await target.createForAll(mutatingBindings, object);
      const answer = await target.api.get(`${mutatingBindings}/${object.metadata.name}`, {
        headers: asTable,
      });
      expect(cells(answer)).toEqual([[object.metadata.name, 'none', text, 'AGE']]);
    }
  });

  it('a changed mutating policy is a new generation', async (target) => {
    const object = mutatingPolicy(target, 'changed', { mutations: patches("[JSONPatch{op: 'add'}]") });
    await target.createForAll(mutatingPolicies, object);
    const path = `${mutatingPolicies}/${object.metadata.name}`;
    const noted = await target.api.patch(path, 'merge', { metadata: { annotations: { a: 'b' } } });
    expect(noted.body.metadata.generation).toBe(1);
    const changed = await target.api.patch(path, 'merge', { spec: { reinvocationPolicy: 'IfNeeded' } });
    expect(changed.body.metadata.generation).toBe(2);
  });
});
