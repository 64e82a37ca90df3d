import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { as, rights } from '../rights.ts';
import { refused, refuses } from '../statuses.ts';

const authorization = 'authorization.k8s.io/v1';

const review = (user: string, resourceAttributes: object, more: object = {}) => ({
  apiVersion: authorization,
  kind: 'SubjectAccessReview',
  spec: { user, resourceAttributes, ...more },
});

contract('access reviews', (it) => {
  it('a SubjectAccessReview tells why', async (target) => {
    await rights(target);
    const ask = async (user: string, verb: string) => {
      const object = review(user, { namespace: target.namespace, verb, resource: 'configmaps' });
      const { code, body } = await target.api.post(`/apis/${authorization}/subjectaccessreviews`, object);
      expect(code).toBe(201);
      return JSON.parse(JSON.stringify(body['status']).replaceAll(target.namespace, 'NAMESPACE'));
    };
    expect(await ask('reader', 'get')).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "reader/NAMESPACE" of Role "reader" to User "reader"',
    });
    expect(await ask('reader', 'delete')).toEqual({ allowed: false });
  });

  it('a SubjectAccessReview knows paths that are no resources', async (target) => {
    const object = {
      apiVersion: authorization,
      kind: 'SubjectAccessReview',
      spec: {
        user: 'x',
        groups: ['system:authenticated'],
        nonResourceAttributes: { path: '/healthz', verb: 'get' },
      },
    };
    const { body } = await target.api.post(`/apis/${authorization}/subjectaccessreviews`, object);
    expect(body['status']).toMatchObject({ allowed: true });
  });

  it(
    'a SubjectAccessReview of nobody is refused',
    refuses(
      ({ api }) =>
        api.post(`/apis/${authorization}/subjectaccessreviews`, {
          apiVersion: authorization,
          kind: 'SubjectAccessReview',
          spec: {},
        }),
      {
        code: 422,
        reason: 'Invalid',
        message:
          '.authorization.k8s.io "" is invalid: [spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified, spec.user: Invalid value: "": at least one of user or group must be specified]',
        details: {
          group: 'authorization.k8s.io',
          causes: [
            {
              reason: 'FieldValueInvalid',
              message:
                'Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
              field: 'spec.resourceAttributes',
            },
            {
              reason: 'FieldValueInvalid',
              message: 'Invalid value: "": at least one of user or group must be specified',
              field: 'spec.user',
            },
          ],
        },
      },
    ),
  );

  it('a LocalSubjectAccessReview holds for its namespace only', async (target) => {
    const object = {
      ...review('reader', { namespace: 'default', verb: 'get', resource: 'configmaps' }),
      kind: 'LocalSubjectAccessReview',
    };
    refused(target, await target.api.post(target.group(authorization, 'localsubjectaccessreviews'), object), {
      code: 422,
      reason: 'Invalid',
      message:
        '.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: "default": must match metadata.namespace',
      details: {
        group: 'authorization.k8s.io',
        causes: [
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: "default": must match metadata.namespace',
            field: 'spec.resourceAttributes.namespace',
          },
        ],
      },
    });
  });

  it('anybody may ask what they themselves may do', async (target) => {
    const reader = await as(target, 'reader');
    const ask = async (verb: string) => {
      const spec = { resourceAttributes: { namespace: target.namespace, verb, resource: 'configmaps' } };
      const { body } = await reader.post(`/apis/${authorization}/selfsubjectaccessreviews`, {
        apiVersion: authorization,
        kind: 'SelfSubjectAccessReview',
        spec,
      });
      return (body['status'] as { allowed: boolean }).allowed;
    };
    expect([await ask('get'), await ask('delete')]).toEqual([true, false]);
  });

  it('anybody may ask for all of their rules', async (target) => {
    const reader = await as(target, 'reader');
    const { body } = await reader.post(`/apis/${authorization}/selfsubjectrulesreviews`, {
      apiVersion: authorization,
      kind: 'SelfSubjectRulesReview',
      spec: { namespace: target.namespace },
    });
    const { resourceRules, incomplete } = body['status'] as { resourceRules: object[]; incomplete: boolean };
    expect(resourceRules).toContainEqual({
      verbs: ['get', 'list', 'watch'],
      apiGroups: [''],
      resources: ['configmaps'],
    });
    expect(incomplete).toBe(false);
  });
});
