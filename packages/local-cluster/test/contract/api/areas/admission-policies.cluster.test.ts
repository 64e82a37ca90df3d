import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { configMap, deployment } from '../objects.ts';
import { binding, bindings, configMapRules, type Policy, policies, policy } from '../policy-objects.ts';
import { type Refusal, refused } from '../statuses.ts';
import { once, type Target } from '../target.ts';
import { widget, widgetPath, widgets } from '../widgets.ts';

/** A custom kind: an API server stops reading parameters of built-in kinds once the first policy is deleted. */
const widgetKind = { kind: 'Widget' };

/** Each policy applies only to objects whose label `policy` is its name. */
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
  noted: {
    spec: { auditAnnotations: [{ key: 'note', valueExpression: "'keys: ' + string(object.data.size())" }] },
    // An audit annotation that cannot be computed denies the request, whatever the validationActions are.
    binding: { validationActions: ['Audit'] },
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
  'bad-variable': {
    spec: {
      variables: [{ name: 'part', expression: "object.data.list.split(',')[1]" }],
      validations: [{ expression: "variables.part == 'b'" }],
    },
  },
  set: {
    spec: {
      validations: [
        {
          expression:
            'request.name == object.metadata.name && !has(request.subResource) && !has(request.requestSubResource) && has(request.namespace)',
        },
      ],
    },
  },
  comprehensions: {
    spec: {
      validations: [{ expression: "object.data.all(key, value, value != 'bad')", message: 'a value is bad' }],
    },
  },
  characters: {
    spec: {
      validations: [
        {
          expression: String.raw`object.data.all(key, object.data[key].find('[\\p{Cc}\\p{Cf}\\p{Co}\\p{Zl}\\p{Zp}\u034f\U000e0100-\U000e01ef]') == '' && object.data[key].lowerAscii() != 'current')`,
          // A list: the keys of a map come in any order.
          messageExpression: String.raw`'refused: ' + ['a', 'b', 'c', 'd', 'e', 'f', 'g'].filter(key, object.data[key].find('[\\p{Cc}\\p{Cf}\\p{Co}\\p{Zl}\\p{Zp}\u034f\U000e0100-\U000e01ef]') != '').join(', ')`,
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

const under = (name: string, object: string, more: object = {}, annotations: object = {}) =>
  configMap({ name: object, labels: { policy: name }, annotations }, more);

/** Installs all policies. The last one is a probe: when it is in effect, all are. */
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
    // Parameters are read by a separate watch, which may be the last to catch up.
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

/** The expected denial of a policy, whose binding has the same name. */
function denied(name: string, why: string, object = 'denied'): Refusal {
  const policyName = `NAMESPACE-${name}`;
  const message = `ValidatingAdmissionPolicy '${policyName}' with binding '${policyName}' denied request: ${why}`;
  const details = { name: object, kind: 'configmaps', causes: [{ message }] };
  return {
    code: 422,
    reason: 'Invalid',
    message: `configmaps "${object}" is forbidden: ${message}`,
    details,
  };
}

const denials: [what: string, policy: string, data: object, expected: Refusal][] = [
  [
    'with the expression that failed',
    'plain',
    { stop: '' },
    denied('plain', "failed expression: !has(object.data) || !('stop' in object.data)"),
  ],
  ['with its message and reason', 'message', { stop: '' }, denied('message', 'stop is not allowed')],
  [
    'with a message that was computed',
    'expression',
    { a: '', b: '' },
    denied('expression', 'keys must begin with a: b'),
  ],
  [
    'with the plain message when the computed one fails',
    'bad-message',
    {},
    denied('bad-message', 'the fallback'),
  ],
  ['with the first of several messages', 'several', {}, denied('several', 'first')],
  ['by variables', 'variables', { a: '', b: '', c: '' }, denied('variables', '3 keys are too many')],
  [
    'when a variable fails',
    'bad-variable',
    { list: 'a' },
    denied(
      'bad-variable',
      `expression 'variables.part == 'b'' resulted in error: composited variable "part" fails to evaluate: index out of bounds: 1`,
    ),
  ],
  [
    'by keys and values',
    'comprehensions',
    { a: 'good', b: 'bad' },
    denied('comprehensions', 'a value is bad'),
  ],
  [
    'by a class of characters',
    'characters',
    {
      a: 'Ünïcode 版本 🚢',
      b: '1.0\u202e1',
      c: 'CURRENTLY',
      d: 'a\u{e0100}',
      e: 'a\ue000',
      f: 'a\u034f',
      g: '\u200b',
    },
    denied('characters', 'refused: b, d, e, f, g'),
  ],
  ['by a match condition that holds', 'condition', {}, denied('condition', 'nobody gets in')],
  ['by its namespace', 'namespace', {}, denied('namespace', 'this is NAMESPACE')],
  ['by its parameters', 'params', { a: '', b: '', c: '' }, denied('params', 'at most 2 keys')],
  [
    'when its parameters are not there',
    'params-missing',
    {},
    denied(
      'params-missing',
      'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
    ),
  ],
  [
    'when an expression fails',
    'error',
    {},
    denied('error', "expression 'object.data.missing == 'x'' resulted in error: no such key: data"),
  ],
];

contract('admission policies', (it) => {
  it('what a policy allows is written', async (target) => {
    expect((await create(target, 'plain', 'allowed', { data: { go: '' } })).code).toBe(201);
    expect((await create(target, 'variables', 'few', { data: { a: '' } })).code).toBe(201);
    expect((await create(target, 'params', 'within', { data: { a: '', b: '' } })).code).toBe(201);
  });

  for (const [what, name, data, expected] of denials)
    it(`a policy denies ${what}`, async (target) => {
      refused(target, await create(target, name, 'denied', { data }), expected);
    });

  it('a policy that only notes something lets pass what it can note, and nothing else', async (target) => {
    expect((await create(target, 'noted', 'noted', { data: { a: '' } })).code).toBe(201);
    refused(
      target,
      await create(target, 'noted', 'denied'),
      denied(
        'noted',
        "expression ''keys: ' + string(object.data.size())' resulted in error: no such key: data",
      ),
    );
  });

  it('a match condition that does not hold lets an object pass', async (target) => {
    expect((await create(target, 'condition', 'exempt', {}, { exempt: '' })).code).toBe(201);
  });

  it('a generated name is known, and fields of the request that are empty are not set', async (target) => {
    await installed(target);
    const metadata = { generateName: 'set-', labels: { policy: 'set' } };
    expect((await target.api.post(target.core('configmaps'), configMap(metadata))).code).toBe(201);
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
    refused(
      target,
      await target.api.patch(path, 'merge', { data: { a: '2' } }),
      denied('old', 'data cannot be changed', 'unchanged'),
    );
  });

  it('a policy about deletions sees the old object', async (target) => {
    await installed(target);
    refused(
      target,
      await target.api.delete(target.core('configmaps/kept')),
      denied('delete', 'it is to be kept', 'kept'),
    );
    expect((await target.api.delete(target.core('configmaps/free'))).code).toBe(200);
  });

  it('a policy knows who asks', async (target) => {
    await installed(target);
    const mallory = await target.as({ user: 'mallory', group: 'system:masters' });
    refused(
      target,
      await mallory.post(target.core('configmaps'), under('request', 'asked')),
      denied('request', 'mallory may not CREATE', 'asked'),
    );
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
    refused(
      target,
      await creator.post(target.core('configmaps'), under('authorizer', 'authorized')),
      denied('authorizer', 'needs update on secrets', 'authorized'),
    );
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
});
