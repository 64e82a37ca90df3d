import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { binding, bindings, type Policy, policies, policy } from '../policy-objects.ts';
import { invalid, type Refusal, refuses } from '../statuses.ts';
import { qualifiedName } from '../texts.ts';

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
    'notes for the audit log that are no texts, under keys that are none',
    {
      auditAnnotations: [
        { key: 'a b', valueExpression: '1' },
        { key: 'c', valueExpression: 'object.spec.x' },
        { key: 'c', valueExpression: '' },
      ],
    },
    invalid(
      'ValidatingAdmissionPolicy.admissionregistration.k8s.io',
      'NAMESPACE-bad',
      `spec.auditAnnotations[0].key: Invalid value: "NAMESPACE-bad/a b": ${qualifiedName}`,
      'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
      'spec.auditAnnotations[1].valueExpression: Invalid value: "object.spec.x": must evaluate to one of [string null_type] but got dyn',
      'spec.auditAnnotations[2].valueExpression: Required value: valueExpression is not specified',
      'spec.auditAnnotations[2].key: Duplicate value: "c"',
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

contract('admission policies as objects', (it) => {
  for (const [why, spec, expected] of badPolicies)
    it(
      `a policy with ${why} is refused`,
      refuses(async (target) => {
        const answer = await target.api.post(policies, policy(target, 'bad', spec));
        // Messages of the compiler and their layout differ between the engines.
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
