import { expect, test } from 'vitest';
import { alreadyExists, notFound, type Refusal } from '../../../versions/refusal.ts';
import { withPostAdvice } from './post-advice.ts';

const address = { kind: 'ConfigMap', namespace: 'shop', name: 'foo' } as const;
const about = { kind: 'configmaps', name: 'foo' };

test('a caller who adds a version to a missing config is told how to create it', () => {
  const { body } = withPostAdvice(
    notFound('configmaps "foo" not found', about, 'create-config'),
    address,
  ) as Refusal;
  expect(body).toMatchObject({
    code: 404,
    reason: 'NotFound',
    message:
      'configmaps "foo" not found: create it with its first version by POST /api/v1/namespaces/shop/configmaps/{version} with its name in the body',
    details: about,
  });
});

test('a caller who creates a config that exists is told how to add a version', () => {
  const { body } = withPostAdvice(
    alreadyExists('configmaps "foo" already exists', about, 'add-version'),
    address,
  ) as Refusal;
  expect(body).toMatchObject({
    code: 409,
    reason: 'AlreadyExists',
    message:
      'configmaps "foo" already exists: add a version with POST /api/v1/namespaces/shop/configmaps/foo/{version}',
    details: about,
  });
});

test.each([notFound('configmaps "foo" not found', about), new Error('no response')])(
  'any other error stays as it is: %s',
  (error) => {
    expect(withPostAdvice(error, address)).toBe(error);
  },
);
