import { expect, test } from 'vitest';
import type { AdmissionRequest } from '../admission-request.ts';
import { admitByPolicies } from './admit.ts';
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from './policy-objects.ts';

const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
const created = (name: string): AdmissionRequest => ({
  uid: 'u',
  operation: 'CREATE',
  kind,
  resource: configMaps,
  requestKind: kind,
  requestResource: configMaps,
  otherVersions: [],
  subresource: '',
  name,
  namespace: 'ns',
  namespaceLabels: {},
  namespaceObject: undefined,
  userInfo: { username: 'me', groups: [] },
  object: { metadata: { name } },
  oldObject: undefined,
  dryRun: false,
  options: {},
});

function admit(
  request: AdmissionRequest,
  spec: Partial<ValidatingAdmissionPolicy['spec']>,
  ...actions: ValidatingAdmissionPolicyBinding['spec']['validationActions'][]
) {
  const resourceRules = [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] },
  ];
  const policies = [{ metadata: { name: 'p' }, spec: { matchConstraints: { resourceRules }, ...spec } }];
  const bindings = actions.map((validationActions, index) => ({
    metadata: { name: `b${index}` },
    spec: { policyName: 'p', ...(validationActions && { validationActions }) },
  }));
  const source = { policies: () => policies, bindings: () => bindings, parameters: () => undefined };
  return admitByPolicies(source, request, () => ({ allowed: false, reason: '' }));
}

const failureKey = 'validation.policy.admission.k8s.io/validation_failure';
const validations = [{ expression: 'true' }, { expression: "object.metadata.name != 'bad'", message: 'no' }];

test('a note is trimmed, named after its policy, and left out when it is empty', () => {
  const auditAnnotations = [
    { key: 'name', valueExpression: "' called ' + object.metadata.name + ' '" },
    { key: 'empty', valueExpression: "'  '" },
    { key: 'nothing', valueExpression: 'null' },
  ];
  expect(admit(created('x'), { auditAnnotations }, ['Deny'], ['Warn'])).toEqual({
    denied: undefined,
    warnings: [],
    annotations: { 'p/name': 'called x' },
  });
});

test('notes of a policy with several parameters are told together', () => {
  const limits = ['1', '2', '1'].map((limit) => ({ metadata: { name: limit } }));
  const policies = [
    {
      metadata: { name: 'p' },
      spec: {
        paramKind: { apiVersion: 'v1', kind: 'Limit' },
        auditAnnotations: [{ key: 'limit', valueExpression: 'string(params.metadata.name)' }],
      },
    },
  ];
  const bindings = [{ metadata: { name: 'b' }, spec: { policyName: 'p', paramRef: { selector: {} } } }];
  const source = {
    policies: () => policies,
    bindings: () => bindings,
    parameters: () => ({ namespaced: true, all: () => limits }),
  };
  const { annotations } = admitByPolicies(source, created('x'), () => ({ allowed: false, reason: '' }));
  expect(annotations).toEqual({ 'p/limit': '1, 2' });
});

test('Audit lets pass, and notes the first failure', () => {
  const { denied, warnings, annotations } = admit(
    created('bad'),
    { validations },
    ['Audit', 'Warn'],
    ['Audit'],
  );
  expect(denied).toBeUndefined();
  expect(warnings).toHaveLength(1);
  expect(JSON.parse(annotations[failureKey] ?? '')).toEqual([
    { message: 'no', policy: 'p', binding: 'b0', expressionIndex: 1, validationActions: ['Audit', 'Warn'] },
  ]);
  expect(admit(created('good'), { validations }, ['Audit']).annotations).toEqual({});
});

test('what is denied is noted, too', () => {
  const { denied, annotations } = admit(created('bad'), { validations }, ['Deny', 'Audit']);
  expect(denied?.message).toContain('denied request: no');
  expect(annotations[failureKey]).toContain('"binding":"b0"');
});

test('a note that cannot be made denies, unless failures are ignored', () => {
  const auditAnnotations = [{ key: 'bad', valueExpression: "'a' + object.data.nope" }];
  expect(admit(created('x'), { auditAnnotations }, ['Audit']).denied?.message).toContain(
    `expression ''a' + object.data.nope' resulted in error: no such key: data`,
  );
  const ignored = admit(created('x'), { auditAnnotations, failurePolicy: 'Ignore' }, ['Deny']);
  expect(ignored).toEqual({ denied: undefined, warnings: [], annotations: {} });
});
