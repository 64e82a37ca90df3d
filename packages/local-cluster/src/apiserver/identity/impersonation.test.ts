import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { Attributes } from '../rbac/attributes.ts';
import { impersonated } from './impersonation.ts';

const admin = { username: 'admin', groups: ['system:authenticated'] };
const request: Attributes = {
  user: admin,
  verb: 'list',
  group: '',
  resource: 'pods',
  subresource: '',
  namespace: '',
  name: '',
};
const asked: string[] = [];

function as(headers: Record<string, string[]>, allowed = true) {
  asked.length = 0;
  return impersonated(
    { headersDistinct: headers } as unknown as IncomingMessage,
    admin,
    request,
    (attributes) => {
      if ('resource' in attributes)
        asked.push(`${attributes.verb} ${attributes.resource} ${attributes.name}`);
      return { allowed, reason: '' };
    },
  );
}

describe('whoever may', () => {
  test('is taken for a user with their groups, and each of them is a right of its own', () => {
    expect(as({ 'impersonate-user': ['jane'], 'impersonate-group': ['a', 'b'] })).toEqual({
      username: 'jane',
      groups: ['a', 'b', 'system:authenticated'],
    });
    expect(asked).toEqual(['impersonate users jane', 'impersonate groups a', 'impersonate groups b']);
  });

  test('is taken for a service account with the groups that it has', () => {
    expect(as({ 'impersonate-user': ['system:serviceaccount:shop:robot'] })).toEqual({
      username: 'system:serviceaccount:shop:robot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
    });
    expect(asked).toEqual(['impersonate serviceaccounts robot']);
  });

  test('is taken for the anonymous user', () => {
    expect(as({ 'impersonate-user': ['system:anonymous'] })?.groups).toEqual(['system:unauthenticated']);
  });

  test('brings a UID and more along', () => {
    const headers = {
      'impersonate-user': ['jane'],
      'impersonate-uid': ['7'],
      'impersonate-extra-a%2fb': ['c'],
    };
    expect(as(headers)).toMatchObject({ uid: '7', extra: { 'a/b': ['c'] } });
    expect(asked).toContain('impersonate uids 7');
    expect(asked).toContain('impersonate userextras c');
  });
});

test('whoever may not is told what they lack', () => {
  expect(() => as({ 'impersonate-user': ['jane'] }, false)).toThrow(
    'pods is forbidden: User "admin" cannot impersonate-on:user-info:list resource "pods" in API group "" at the cluster scope',
  );
});

test('without such headers nobody is impersonated, and a group needs a user', () => {
  expect(as({})).toBeUndefined();
  expect(() => as({ 'impersonate-group': ['x'] })).toThrow('without impersonating a user name');
});

test('a header that cannot be decoded is refused, not a failure of the server', () => {
  expect(() => as({ 'impersonate-user': ['jane'], 'impersonate-extra-%zz': ['c'] })).toThrow(
    /cannot be decoded/,
  );
});
