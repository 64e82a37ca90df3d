import { describe, expect, test } from 'vitest';
import { type Attributes, refusal } from './attributes.ts';
import { authorise, rulesFor } from './authorise.ts';
import type { ClusterRole, PolicyRule, Role, RoleBinding, RoleSource } from './roles.ts';

const clusterRoles: ClusterRole[] = [
  role('reader', [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps', 'pods/log'] }]),
  role('one', [{ verbs: ['update'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['foo'] }]),
  role('scaler', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*/scale'] }]),
  role('health', [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/openapi/*'] }]),
  {
    ...role('parts', [{ verbs: ['watch'], apiGroups: ['apps'], resources: ['deployments'] }], {
      part: 'yes',
    }),
  },
  { ...role('whole', []), aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: 'yes' } }] } },
];

const source: RoleSource = {
  clusterRoles: () => clusterRoles,
  clusterRole: (name) => clusterRoles.find(({ metadata }) => metadata.name === name),
  role: (namespace, name) =>
    namespace === 'ns' && name === 'local'
      ? role('local', [{ verbs: ['delete'], apiGroups: [''], resources: ['pods'] }])
      : undefined,
  clusterRoleBindings: () => [
    binding('everybody', 'ClusterRole', 'health', { kind: 'Group', name: 'system:authenticated' }),
    binding('whole', 'ClusterRole', 'whole', { kind: 'User', name: 'wanda' }),
    binding('stale', 'ClusterRole', 'gone', { kind: 'User', name: 'bob' }),
  ],
  roleBindings: (namespace) =>
    namespace === 'ns'
      ? [
          binding('readers', 'ClusterRole', 'reader', { kind: 'User', name: 'bob' }),
          binding('ones', 'ClusterRole', 'one', { kind: 'User', name: 'bob' }),
          binding('scalers', 'ClusterRole', 'scaler', { kind: 'Group', name: 'ops' }),
          binding('locals', 'Role', 'local', { kind: 'ServiceAccount', name: 'robot' }),
        ]
      : [],
};

function role(name: string, rules: PolicyRule[], labels: Record<string, string> = {}): Role {
  return { metadata: { name, labels }, rules };
}

function binding(
  name: string,
  kind: string,
  to: string,
  subject: { kind: string; name: string },
): RoleBinding {
  return { metadata: { name }, roleRef: { kind, name: to }, subjects: [subject] };
}

/** `bob get configmaps ns/foo`; a resource with a dot has a group: `deployments.apps/scale`. */
function request(text: string, groups: string[] = ['system:authenticated']): Attributes {
  const [username = '', verb = '', what = '', where = ''] = text.split(' ');
  const user = { username, groups };
  if (what.startsWith('/')) return { user, verb, path: what };
  const [full = '', subresource = ''] = what.split('/');
  const [resource = '', ...group] = full.split('.');
  const [namespace = '', name = ''] = where.split('/');
  return { user, verb, group: group.join('.'), resource, subresource, namespace, name };
}

describe('a request is allowed', () => {
  test.each([
    [
      'bob get configmaps ns/foo',
      'RBAC: allowed by RoleBinding "readers/ns" of ClusterRole "reader" to User "bob"',
    ],
    [
      'bob list configmaps ns',
      'RBAC: allowed by RoleBinding "readers/ns" of ClusterRole "reader" to User "bob"',
    ],
    [
      'bob get pods/log ns/p',
      'RBAC: allowed by RoleBinding "readers/ns" of ClusterRole "reader" to User "bob"',
    ],
    [
      'bob update configmaps ns/foo',
      'RBAC: allowed by RoleBinding "ones/ns" of ClusterRole "one" to User "bob"',
    ],
    [
      'system:serviceaccount:ns:robot delete pods ns/p',
      'RBAC: allowed by RoleBinding "locals/ns" of Role "local" to ServiceAccount "robot/ns"',
    ],
    [
      'bob get /openapi/v3/api/v1',
      'RBAC: allowed by ClusterRoleBinding "everybody" of ClusterRole "health" to Group "system:authenticated"',
    ],
    [
      'wanda watch deployments.apps ns',
      'RBAC: allowed by ClusterRoleBinding "whole" of ClusterRole "whole" to User "wanda"',
    ],
  ])('%s', (text, reason) => {
    expect(authorise(source, request(text))).toEqual({ allowed: true, reason });
  });

  test('by a subresource of everything', () => {
    expect(authorise(source, request('eve update deployments.apps/scale ns/web', ['ops'])).allowed).toBe(
      true,
    );
    expect(authorise(source, request('eve update deployments.apps ns/web', ['ops'])).allowed).toBe(false);
  });

  test('to a superuser, whatever the roles say', () => {
    expect(authorise(source, request('admin delete nodes', ['system:masters'])).allowed).toBe(true);
  });
});

describe('a request is refused', () => {
  test.each([
    'bob get configmaps other/foo',
    'bob list configmaps',
    'bob get pods ns/p',
    'bob update configmaps ns/bar',
    'bob create configmaps ns',
    'bob get configmaps.apps ns/foo',
    'system:serviceaccount:other:robot delete pods ns/p',
    'bob post /healthz',
    'bob get /healthz/etcd',
    'eve get /openapi',
  ])('%s', (text) => {
    expect(authorise(source, request(text)).allowed).toBe(false);
  });

  test('with the roles that are not there, where a binding names such', () => {
    const reason = 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found';
    expect(authorise(source, request('bob list configmaps')).reason).toBe(reason);
    expect(authorise(source, request('eve get /openapi')).reason).toBe('');
  });

  test('in the words of Kubernetes', () => {
    expect(refusal(request('bob list configmaps'))).toBe(
      'User "bob" cannot list resource "configmaps" in API group "" at the cluster scope',
    );
    expect(refusal(request('bob update deployments.apps/scale ns/web'))).toBe(
      'User "bob" cannot update resource "deployments/scale" in API group "apps" in the namespace "ns"',
    );
    expect(refusal(request('bob get /metrics'))).toBe('User "bob" cannot get path "/metrics"');
  });
});

test('all rules of a person in a namespace can be listed', () => {
  const verbs = rulesFor(source, { username: 'bob', groups: ['system:authenticated'] }, 'ns').map(
    (rule) => rule.verbs,
  );
  expect(verbs).toEqual([['get'], ['get', 'list'], ['update']]);
});
