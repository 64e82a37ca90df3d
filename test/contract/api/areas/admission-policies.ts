import { expect } from 'vitest';
import { waitFor } from '../../../support/wait-for.ts';
import { contract } from '../contract.ts';
import { configMap, deployment } from '../objects.ts';
import { invalid, type Refusal, refused, refuses } from '../statuses.ts';
import { once, type Target } from '../target.ts';
import { groupOf, widget, widgetPath, widgets } from '../widgets.ts';

const admission = 'admissionregistration.k8s.io/v1';
const policies = `/apis/${admission}/validatingadmissionpolicies`;
const bindings = `/apis/${admission}/validatingadmissionpolicybindings`;

interface Policy {
  spec: { paramKind?: object; [field: string]: unknown };
  binding?: object;
}

const configMapRules = (...operations: string[]) => [
  { apiGroups: [''], apiVersions: ['v1'], operations, resources: ['configmaps'] },
];

/** A kind of the area's own: an API server reads parameters of its own kinds until the first policy goes, and never again. */
const widgetKind = { kind: 'Widget' };

/** An object meets the policy whose name is its label `policy`, and no other. */
const all: Record<string, Policy> = {
  plain: { spec: { validations: [{ expression: "!has(object.data) || !('stop' in object.data)" }] } },
  message: {
    spec: {
      validations: [
        { expression: "!('stop' in object.data)", message: 'stop is not allowed', reason: 'Invalid' },
      ],
    },
  },
  expression: {
    spec: {
      validations: [
        {
          expression: "object.data.all(key, key.startsWith('a'))",
          messageExpression:
            "'keys must begin with a: ' + object.data.filter(key, !key.startsWith('a')).join(', ')",
        },
      ],
    },
  },
  'bad-message': {
    spec: {
      validations: [
        { expression: 'false', message: 'the fallback', messageExpression: 'string(object.nothing.here)' },
      ],
    },
  },
  several: {
    spec: {
      validations: [
        { expression: 'false', message: 'first' },
        { expression: 'false', message: 'second' },
      ],
    },
  },
  variables: {
    spec: {
      variables: [
        { name: 'keys', expression: 'has(object.data) ? object.data.map(key, key) : []' },
        { name: 'many', expression: 'variables.keys.size() > 2' },
      ],
      validations: [
        {
          expression: '!variables.many',
          messageExpression: "string(variables.keys.size()) + ' keys are too many'",
        },
      ],
    },
  },
  condition: {
    spec: {
      matchConditions: [
        {
          name: 'not-exempt',
          expression: "!(has(object.metadata.annotations) && 'exempt' in object.metadata.annotations)",
        },
      ],
      validations: [{ expression: 'false', message: 'nobody gets in' }],
    },
  },
  old: {
    spec: {
      matchConstraints: { resourceRules: configMapRules('UPDATE') },
      validations: [{ expression: 'object.data == oldObject.data', message: 'data cannot be changed' }],
    },
  },
  delete: {
    spec: {
      matchConstraints: { resourceRules: configMapRules('DELETE') },
      validations: [{ expression: 'object == null && !has(oldObject.data)', message: 'it is to be kept' }],
    },
  },
  request: {
    spec: {
      validations: [
        {
          expression:
            "request.operation == 'CREATE' && request.resource.resource == 'configmaps' && request.userInfo.username != 'mallory'",
          messageExpression: "request.userInfo.username + ' may not ' + request.operation",
        },
      ],
    },
  },
  authorizer: {
    spec: {
      validations: [
        {
          expression:
            "authorizer.group('').resource('secrets').namespace(request.namespace).check('update').allowed()",
          message: 'needs update on secrets',
        },
      ],
    },
  },
  namespace: {
    spec: {
      validations: [
        {
          expression: "namespaceObject.metadata.name == 'elsewhere'",
          messageExpression: "'this is ' + namespaceObject.metadata.name",
        },
      ],
    },
  },
  params: {
    spec: {
      paramKind: widgetKind,
      validations: [
        {
          expression: '!has(object.data) || object.data.size() <= params.spec.size',
          messageExpression: "'at most ' + string(params.spec.size) + ' keys'",
        },
      ],
    },
    binding: { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } },
  },
  'params-missing': {
    spec: { paramKind: widgetKind, validations: [{ expression: 'true' }] },
    binding: { paramRef: { name: 'no-such-limits', parameterNotFoundAction: 'Deny' } },
  },
  'params-allowed': {
    spec: { paramKind: widgetKind, validations: [{ expression: 'false' }] },
    binding: { paramRef: { name: 'no-such-limits', parameterNotFoundAction: 'Allow' } },
  },
  warn: {
    spec: { validations: [{ expression: 'false', message: 'think again' }] },
    binding: { validationActions: ['Warn', 'Audit'] },
  },
  error: { spec: { validations: [{ expression: "object.data.missing == 'x'" }] } },
  'error-ignored': {
    spec: { failurePolicy: 'Ignore', validations: [{ expression: "object.data.missing == 'x'" }] },
  },
};

function policy(
  target: Target,
  name: string,
  { paramKind, ...spec }: { paramKind?: object; [field: string]: unknown },
) {
  const params =
    paramKind === undefined ? {} : { paramKind: { apiVersion: `${groupOf(target)}/v1`, ...paramKind } };
  return {
    apiVersion: admission,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: `${target.namespace}-${name}` },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: configMapRules('CREATE', 'UPDATE') },
      ...params,
      ...spec,
    },
  };
}

function binding(target: Target, name: string, more: object = {}) {
  return {
    apiVersion: admission,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: `${target.namespace}-${name}` },
    spec: {
      policyName: `${target.namespace}-${name}`,
      validationActions: ['Deny'],
      matchResources: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': target.namespace } },
        objectSelector: { matchLabels: { policy: name } },
      },
      ...more,
    },
  };
}

const under = (name: string, object: string, more: object = {}, annotations: object = {}) =>
  configMap({ name: object, labels: { policy: name }, annotations }, more);

/** All policies at once. The last one that is installed is a probe: when it is in force, all are. */
const installed = once(async (target: Target) => {
  const { api, core } = target;
  await widgets(target);
  await api.post(widgetPath(target), widget(target, 'limits', { size: 2 }));
  for (const name of ['kept', 'free'])
    await api.post(core('configmaps'), under('delete', name, { data: name === 'kept' ? { keep: '' } : {} }));
  await api.post(core('configmaps'), under('old', 'unchanged', { data: { a: '1' } }));
  for (const [name, { spec, binding: more }] of [
    ...Object.entries(all),
    ['probe', { spec: { validations: [{ expression: 'false' }] } }] as [string, Policy],
  ]) {
    await target.createForAll(policies, policy(target, name, spec));
    const ref = (more as { paramRef?: object } | undefined)?.paramRef;
    await target.createForAll(
      bindings,
      binding(target, name, {
        ...more,
        ...(ref === undefined ? {} : { paramRef: { namespace: target.namespace, ...ref } }),
      }),
    );
  }
  await waitFor('the policies are in force', async () => {
    const { code } = await api.post(core('configmaps'), under('probe', 'probe'), {
      query: { dryRun: 'All' },
    });
    // Parameters are read by a watch of their own, which may come last.
    const { code: withParams } = await api.post(core('configmaps'), under('params', 'probe'), {
      query: { dryRun: 'All' },
    });
    return code === 422 && withParams === 201 ? { met: true } : { seen: `${code} ${withParams}` };
  });
});

async function create(
  target: Target,
  name: string,
  object: string,
  more: object = {},
  annotations: object = {},
) {
  await installed(target);
  return target.api.post(target.core('configmaps'), under(name, object, more, annotations));
}

const denials: [what: string, policy: string, data: object, expected: Refusal][] = [
  [
    'with the expression that failed',
    'plain',
    { stop: '' },
    {
      code: 422,
      reason: 'Invalid',
      message: `configmaps "denied" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE-plain' with binding 'NAMESPACE-plain' denied request: failed expression: !has(object.data) || !('stop' in object.data)`,
      details: {
        name: 'denied',
        kind: 'configmaps',
        causes: [
          {
            message:
              "ValidatingAdmissionPolicy 'NAMESPACE-plain' with binding 'NAMESPACE-plain' denied request: failed expression: !has(object.data) || !('stop' in object.data)",
          },
        ],
      },
    },
  ],
  [
    'with its message and reason',
    'message',
    { stop: '' },
    {
      code: 422,
      reason: 'Invalid',
      message: `configmaps "denied" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE-message' with binding 'NAMESPACE-message' denied request: stop is not allowed`,
      details: {
        name: 'denied',
        kind: 'configmaps',
        causes: [
          {
            message:
              "ValidatingAdmissionPolicy 'NAMESPACE-message' with binding 'NAMESPACE-message' denied request: stop is not allowed",
          },
        ],
      },
    },
  ],
  [
    'with a message that was computed',
    'expression',
    { a: '', b: '' },
    {
      code: 422,
      reason: 'Invalid',
      message: `configmaps "denied" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE-expression' with binding 'NAMESPACE-expression' denied request: keys must begin with a: b`,
      details: {
        name: 'denied',
        kind: 'configmaps',
        causes: [
          {
            message:
              "ValidatingAdmissionPolicy 'NAMESPACE-expression' with binding 'NAMESPACE-expression' denied request: keys must begin with a: b",
          },
        ],
      },
    },
  ],
  [
    'with the plain message when the computed one fails',
    'bad-message',
    {},
    {
      code: 422,
      reason: 'Invalid',
      message: `configmaps "denied" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE-bad-message' with binding 'NAMESPACE-bad-message' denied request: the fallback`,
      details: {
        name: 'denied',
        kind: 'configmaps',
        causes: [
          {
            message:
              "ValidatingAdmissionPolicy 'NAMESPACE-bad-message' with binding 'NAMESPACE-bad-message' denied request: the fallback",
          },
        ],
      },
    },
  ],
  [
    'with the first of several messages',
    'several',
    {},
    {
      code: 422,
      reason: 'Invalid',
      message: `configmaps "denied" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE-several' with binding 'NAMESPACE-several' denied request: first`,
      details: {
        name: 'denied',
        kind: 'configmaps',
        causes: [
          {
            message:
              "ValidatingAdmissionPolicy 'NAMESPACE-several' with binding 'NAMESPACE-several' denied request: first",
          },
        ],
      },
    },
  ],
  [
    'by variables',
    'variables',
    { a: '', b: '', c: '' },
    {
      code: 422,
      reason: 'Invalid',
      message: `configmaps "denied" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE-variables' with binding 'NAMESPACE-variables' denied request: 3 keys are too many`,
      details: {
        name: 'denied',
        kind: 'configmaps',
        causes: [
          {
            message:
              "ValidatingAdmissionPolicy 'NAMESPACE-variables' with binding 'NAMESPACE-variables' denied request: 3 keys are too many",
          },
        ],
      },
    },
  ],
  [
    'by a match condition that holds',
    'condition',
    {},
    {
      code: 422,
      reason: 'Invalid',
      message: `configmaps "denied" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE-condition' with binding 'NAMESPACE-condition' denied request: nobody gets in`,
      details: {
        name: 'denied',
        kind: 'configmaps',
        causes: [
          {
            message:
              "ValidatingAdmissionPolicy 'NAMESPACE-condition' with binding 'NAMESPACE-condition' denied request: nobody gets in",
          },
        ],
      },
    },
  ],
  [
    'by its namespace',
    'namespace',
    {},
    {
      code: 422,
      reason: 'Invalid',
      message: `configmaps "denied" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE-namespace' with binding 'NAMESPACE-namespace' denied request: this is NAMESPACE`,
      details: {
        name: 'denied',
        kind: 'configmaps',
        causes: [
          {
            message:
              "ValidatingAdmissionPolicy 'NAMESPACE-namespace' with binding 'NAMESPACE-namespace' denied request: this is NAMESPACE",
          },
        ],
      },
    },
  ],
  [
    'by its parameters',
    'params',
    { a: '', b: '', c: '' },
    {
      code: 422,
      reason: 'Invalid',
      message: `configmaps "denied" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE-params' with binding 'NAMESPACE-params' denied request: at most 2 keys`,
      details: {
        name: 'denied',
        kind: 'configmaps',
        causes: [
          {
            message:
              "ValidatingAdmissionPolicy 'NAMESPACE-params' with binding 'NAMESPACE-params' denied request: at most 2 keys",
          },
        ],
      },
    },
  ],
  [
    'when its parameters are not there',
    'params-missing',
    {},
    {
      code: 422,
      reason: 'Invalid',
      message: `configmaps "denied" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE-params-missing' with binding 'NAMESPACE-params-missing' denied request: failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction`,
      details: {
        name: 'denied',
        kind: 'configmaps',
        causes: [
          {
            message:
              "ValidatingAdmissionPolicy 'NAMESPACE-params-missing' with binding 'NAMESPACE-params-missing' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
          },
        ],
      },
    },
  ],
  [
    'when an expression fails',
    'error',
    {},
    {
      code: 422,
      reason: 'Invalid',
      message: `configmaps "denied" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE-error' with binding 'NAMESPACE-error' denied request: expression 'object.data.missing == 'x'' resulted in error: no such key: data`,
      details: {
        name: 'denied',
        kind: 'configmaps',
        causes: [
          {
            message:
              "ValidatingAdmissionPolicy 'NAMESPACE-error' with binding 'NAMESPACE-error' denied request: expression 'object.data.missing == 'x'' resulted in error: no such key: data",
          },
        ],
      },
    },
  ],
];

const badPolicies: [why: string, spec: Policy['spec'], expected: Refusal][] = [
  [
    'no validations',
    { validations: [] },
    invalid(
      'ValidatingAdmissionPolicy.admissionregistration.k8s.io',
      'NAMESPACE-bad',
      'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
      'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
    ),
  ],
  [
    'an expression that cannot be compiled',
    { validations: [{ expression: 'object.' }] },
    invalid(
      'ValidatingAdmissionPolicy.admissionregistration.k8s.io',
      'NAMESPACE-bad',
      'spec.validations[0].expression: Invalid value: "object.": compilation failed: …',
    ),
  ],
  [
    'an expression that is no condition',
    { validations: [{ expression: "'text'" }] },
    invalid(
      'ValidatingAdmissionPolicy.admissionregistration.k8s.io',
      'NAMESPACE-bad',
      `spec.validations[0].expression: Invalid value: "'text'": must evaluate to bool but got string`,
    ),
  ],
  [
    'a message with a line break',
    { validations: [{ expression: 'true', message: 'a\nb' }] },
    invalid(
      'ValidatingAdmissionPolicy.admissionregistration.k8s.io',
      'NAMESPACE-bad',
      'spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks',
    ),
  ],
  [
    'no rules',
    { matchConstraints: { resourceRules: [] }, validations: [{ expression: 'true' }] },
    invalid(
      'ValidatingAdmissionPolicy.admissionregistration.k8s.io',
      'NAMESPACE-bad',
      'spec.matchConstraints.resourceRules: Required value',
    ),
  ],
  [
    'a variable that is not there',
    { validations: [{ expression: 'variables.nothing' }] },
    invalid(
      'ValidatingAdmissionPolicy.admissionregistration.k8s.io',
      'NAMESPACE-bad',
      'spec.validations[0].expression: Invalid value: "variables.nothing": compilation failed: …',
    ),
  ],
  [
    'a failure policy that is none',
    { failurePolicy: 'Shrug', validations: [{ expression: 'true' }] },
    invalid(
      'ValidatingAdmissionPolicy.admissionregistration.k8s.io',
      'NAMESPACE-bad',
      'spec.failurePolicy: Unsupported value: "Shrug": supported values: "Fail", "Ignore"',
    ),
  ],
  [
    'params without a kind of params',
    { validations: [{ expression: 'params.x == 1' }] },
    invalid(
      'ValidatingAdmissionPolicy.admissionregistration.k8s.io',
      'NAMESPACE-bad',
      'spec.validations[0].expression: Invalid value: "params.x == 1": compilation failed: …',
    ),
  ],
];

export const admissionPolicies = contract('admission policies', (it) => {
  it('what a policy allows is written', async (target) => {
    expect((await create(target, 'plain', 'allowed', { data: { go: '' } })).code).toBe(201);
    expect((await create(target, 'variables', 'few', { data: { a: '' } })).code).toBe(201);
    expect((await create(target, 'params', 'within', { data: { a: '', b: '' } })).code).toBe(201);
  });

  for (const [what, name, data, expected] of denials)
    it(`a policy denies ${what}`, async (target) => {
      refused(target, await create(target, name, 'denied', { data }), expected);
    });

  it('a match condition that does not hold lets an object pass', async (target) => {
    expect((await create(target, 'condition', 'exempt', {}, { exempt: '' })).code).toBe(201);
  });

  it('parameters that are not there may be allowed', async (target) => {
    expect((await create(target, 'params-allowed', 'allowed-params')).code).toBe(201);
  });

  it('an expression that fails may be ignored', async (target) => {
    expect((await create(target, 'error-ignored', 'ignored', { data: {} })).code).toBe(201);
  });

  it('a policy about changes compares old and new', async (target) => {
    await installed(target);
    const path = target.core('configmaps/unchanged');
    expect((await target.api.patch(path, 'merge', { metadata: { annotations: { a: 'b' } } })).code).toBe(200);
    refused(target, await target.api.patch(path, 'merge', { data: { a: '2' } }), {
      code: 422,
      reason: 'Invalid',
      message: `configmaps "unchanged" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE-old' with binding 'NAMESPACE-old' denied request: data cannot be changed`,
      details: {
        name: 'unchanged',
        kind: 'configmaps',
        causes: [
          {
            message:
              "ValidatingAdmissionPolicy 'NAMESPACE-old' with binding 'NAMESPACE-old' denied request: data cannot be changed",
          },
        ],
      },
    });
  });

  it('a policy about deletions sees the old object', async (target) => {
    await installed(target);
    refused(target, await target.api.delete(target.core('configmaps/kept')), {
      code: 422,
      reason: 'Invalid',
      message: `configmaps "kept" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE-delete' with binding 'NAMESPACE-delete' denied request: it is to be kept`,
      details: {
        name: 'kept',
        kind: 'configmaps',
        causes: [
          {
            message:
              "ValidatingAdmissionPolicy 'NAMESPACE-delete' with binding 'NAMESPACE-delete' denied request: it is to be kept",
          },
        ],
      },
    });
    expect((await target.api.delete(target.core('configmaps/free'))).code).toBe(200);
  });

  it('a policy knows who asks', async (target) => {
    await installed(target);
    const mallory = await target.as({ user: 'mallory', group: 'system:masters' });
    refused(target, await mallory.post(target.core('configmaps'), under('request', 'asked')), {
      code: 422,
      reason: 'Invalid',
      message: `configmaps "asked" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE-request' with binding 'NAMESPACE-request' denied request: mallory may not CREATE`,
      details: {
        name: 'asked',
        kind: 'configmaps',
        causes: [
          {
            message:
              "ValidatingAdmissionPolicy 'NAMESPACE-request' with binding 'NAMESPACE-request' denied request: mallory may not CREATE",
          },
        ],
      },
    });
    expect((await create(target, 'request', 'asked')).code).toBe(201);
  });

  it('a policy may ask the authorizer', async (target) => {
    await installed(target);
    const rbac = 'rbac.authorization.k8s.io/v1';
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create'] }];
    await target.api.post(target.group(rbac, 'roles'), {
      apiVersion: rbac,
      kind: 'Role',
      metadata: { name: 'creator' },
      rules,
    });
    await target.api.post(target.group(rbac, 'rolebindings'), {
      apiVersion: rbac,
      kind: 'RoleBinding',
      metadata: { name: 'creator' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'creator' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'creator' }],
    });
    const creator = await target.as({ user: 'creator' });
    await waitFor('the binding is in force', async () => {
      const { code } = await creator.post(target.core('configmaps'), configMap('may'), {
        query: { dryRun: 'All' },
      });
      return code === 201 ? { met: true } : { seen: String(code) };
    });
    refused(target, await creator.post(target.core('configmaps'), under('authorizer', 'authorized')), {
      code: 422,
      reason: 'Invalid',
      message: `configmaps "authorized" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE-authorizer' with binding 'NAMESPACE-authorizer' denied request: needs update on secrets`,
      details: {
        name: 'authorized',
        kind: 'configmaps',
        causes: [
          {
            message:
              "ValidatingAdmissionPolicy 'NAMESPACE-authorizer' with binding 'NAMESPACE-authorizer' denied request: needs update on secrets",
          },
        ],
      },
    });
    expect((await create(target, 'authorizer', 'authorized')).code).toBe(201);
  });

  it('Warn lets pass, and warns', async (target) => {
    const { code, headers } = await create(target, 'warn', 'warned');
    expect(code).toBe(201);
    expect(String(headers['warning']).replaceAll(target.namespace, 'NAMESPACE')).toEqual(
      `299 - "Validation failed for ValidatingAdmissionPolicy 'NAMESPACE-warn' with binding 'NAMESPACE-warn': think again"`,
    );
  });

  it('other kinds are not touched', async (target) => {
    await installed(target);
    const { code } = await target.api.post(
      target.apps('deployments'),
      deployment({ name: 'free', labels: { policy: 'several' } }),
    );
    expect(code).toBe(201);
  });

  for (const [why, spec, expected] of badPolicies)
    it(
      `a policy with ${why} is refused`,
      refuses(async (target) => {
        const answer = await target.api.post(policies, policy(target, 'bad', spec));
        // What a compiler says, and how it draws it, is its own.
        return {
          ...answer,
          text: answer.text.replaceAll(/compilation failed: (?:[^"\\]|\\.)*/g, 'compilation failed: …'),
        };
      }, expected),
    );

  const badBindings: [why: string, more: object, expected: Refusal][] = [
    [
      'no actions',
      { validationActions: [] },
      invalid(
        'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io',
        'NAMESPACE-bad',
        'spec.validationActions: Required value: at least one validation action is required',
      ),
    ],
    [
      'an action that is none',
      { validationActions: ['Shout'] },
      invalid(
        'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io',
        'NAMESPACE-bad',
        'spec.validationActions[0]: Unsupported value: "Shout": supported values: "Audit", "Deny", "Warn"',
      ),
    ],
    [
      'Deny and Warn together',
      { validationActions: ['Deny', 'Warn'] },
      invalid(
        'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io',
        'NAMESPACE-bad',
        'spec.validationActions: Invalid value: ["Deny","Warn"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      ),
    ],
    [
      'no policy',
      { policyName: '' },
      invalid(
        'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io',
        'NAMESPACE-bad',
        'spec.policyName: Required value',
      ),
    ],
    [
      'parameters without a name',
      { paramRef: { parameterNotFoundAction: 'Deny' } },
      invalid(
        'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io',
        'NAMESPACE-bad',
        'spec.paramRef: Required value: one of name or selector must be specified',
      ),
    ],
  ];
  for (const [why, more, expected] of badBindings)
    it(
      `a binding with ${why} is refused`,
      refuses((target) => target.api.post(bindings, binding(target, 'bad', more)), expected),
    );

  it('a policy gets its defaults', async (target) => {
    const object = policy(target, 'defaults', {
      failurePolicy: undefined,
      validations: [{ expression: 'true' }],
    });
    const { body } = await target.api.post(policies, object, { query: { dryRun: 'All' } });
    expect(body['spec']).toMatchObject({
      failurePolicy: 'Fail',
      matchConstraints: { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} },
    });
    expect(body.metadata.generation).toBe(1);
  });
});
