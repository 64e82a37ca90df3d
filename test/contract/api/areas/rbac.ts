import { expect } from 'vitest';
import { waitFor } from '../../../support/wait-for.ts';
import { contract } from '../contract.ts';
import type { Api } from '../http.ts';
import { configMap, deployment } from '../objects.ts';
import { forbidden, type Refusal, refused, refuses } from '../statuses.ts';
import { once, type Target } from '../target.ts';

const group = 'rbac.authorization.k8s.io';
const version = `${group}/v1`;
const authorization = 'authorization.k8s.io/v1';

const role = (name: string, rules: object[]) => ({
  apiVersion: version,
  kind: 'Role',
  metadata: { name },
  rules,
});
const binding = (name: string, roleRef: object, ...users: string[]) => ({
  apiVersion: version,
  kind: 'RoleBinding',
  metadata: { name },
  roleRef: { apiGroup: group, ...roleRef },
  subjects: users.map((user) => ({ kind: 'User', apiGroup: group, name: user })),
});

/** Who may what: users `reader`, `named` and `editor` in the area's namespace, each by a binding of their own. */
const rights = once(async (target: Target) => {
  const { api } = target;
  const post = async (plural: string, object: object) => {
    const { code, text } = await api.post(target.group(version, plural), object);
    if (code !== 201) throw new Error(text);
  };
  await post(
    'roles',
    role('reader', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }]),
  );
  await post(
    'roles',
    role('named', [
      {
        apiGroups: [''],
        resources: ['configmaps'],
        verbs: ['get', 'update', 'patch', 'delete'],
        resourceNames: ['allowed'],
      },
    ]),
  );
  await post(
    'roles',
    role('granter', [
      { apiGroups: [group], resources: ['roles', 'rolebindings'], verbs: ['get', 'create', 'update'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
    ]),
  );
  await post('rolebindings', binding('reader', { kind: 'Role', name: 'reader' }, 'reader'));
  await post('rolebindings', binding('named', { kind: 'Role', name: 'named' }, 'named'));
  await post('rolebindings', binding('granter', { kind: 'Role', name: 'granter' }, 'granter'));
  await post('rolebindings', binding('editor', { kind: 'ClusterRole', name: 'edit' }, 'editor'));
  await post('rolebindings', binding('viewer', { kind: 'ClusterRole', name: 'view' }, 'viewer'));
  await post('rolebindings', binding('dangling', { kind: 'Role', name: 'no-such-role' }, 'dangling'));
  await post('rolebindings', {
    ...binding('grouped', { kind: 'Role', name: 'reader' }),
    subjects: [
      { kind: 'Group', apiGroup: group, name: 'readers' },
      { kind: 'ServiceAccount', name: 'default', namespace: target.namespace },
    ],
  });
  await api.post(target.core('configmaps'), configMap('allowed'));
  await api.post(target.core('configmaps'), configMap('other'));
  // An authorizer may learn of bindings a moment later: the last one tells that all are known.
  const robot = await target.as({ serviceAccount: 'default', namespace: target.namespace });
  await waitFor('the bindings are in force', async () => {
    const { code } = await robot.get(target.core('configmaps/allowed'));
    return code === 200 ? { met: true } : { seen: String(code) };
  });
});

async function as(target: Target, user: string): Promise<Api> {
  await rights(target);
  return target.as({ user });
}

type Ask = (api: Api, target: Target) => ReturnType<Api['get']>;

const allowed: [user: string, what: string, ask: Ask][] = [
  ['reader', 'get', (api, { core }) => api.get(core('configmaps/allowed'))],
  ['reader', 'list', (api, { core }) => api.get(core('configmaps'))],
  ['named', 'get what they are named for', (api, { core }) => api.get(core('configmaps/allowed'))],
  [
    'named',
    'patch what they are named for',
    (api, { core }) => api.patch(core('configmaps/allowed'), 'merge', { data: { a: 'b' } }),
  ],
  [
    'named',
    'list the one that they are named for',
    (api, { core }) =>
      api.get(core('configmaps/allowed'), { query: { fieldSelector: 'metadata.name=allowed' } }),
  ],
  [
    'editor',
    'patch by a ClusterRole',
    (api, { core }) => api.patch(core('configmaps/other'), 'merge', { data: { a: 'b' } }),
  ],
  ['editor', 'read Secrets', (api, { core }) => api.get(core('secrets'))],
  ['viewer', 'read Deployments', (api, { apps }) => api.get(apps('deployments'))],
];

const denied: [user: string, what: string, ask: Ask, expected: Refusal][] = [
  [
    'reader',
    'create',
    (api, { core }) => api.post(core('configmaps'), configMap('new')),
    forbidden(
      'configmaps',
      '',
      'User "reader" cannot create resource "configmaps" in API group "" in the namespace "NAMESPACE"',
    ),
  ],
  [
    'reader',
    'delete',
    (api, { core }) => api.delete(core('configmaps/allowed')),
    forbidden(
      'configmaps',
      'allowed',
      'User "reader" cannot delete resource "configmaps" in API group "" in the namespace "NAMESPACE"',
    ),
  ],
  [
    'reader',
    'delete a collection',
    (api, { core }) => api.delete(core('configmaps')),
    forbidden(
      'configmaps',
      '',
      'User "reader" cannot deletecollection resource "configmaps" in API group "" in the namespace "NAMESPACE"',
    ),
  ],
  [
    'reader',
    'patch',
    (api, { core }) => api.patch(core('configmaps/allowed'), 'merge', {}),
    forbidden(
      'configmaps',
      'allowed',
      'User "reader" cannot patch resource "configmaps" in API group "" in the namespace "NAMESPACE"',
    ),
  ],
  [
    'reader',
    'read all namespaces',
    (api) => api.get('/api/v1/configmaps'),
    forbidden(
      'configmaps',
      '',
      'User "reader" cannot list resource "configmaps" in API group "" at the cluster scope',
    ),
  ],
  [
    'reader',
    'read another namespace',
    (api) => api.get('/api/v1/namespaces/default/configmaps'),
    forbidden(
      'configmaps',
      '',
      'User "reader" cannot list resource "configmaps" in API group "" in the namespace "default"',
    ),
  ],
  [
    'reader',
    'read Secrets',
    (api, { core }) => api.get(core('secrets')),
    forbidden(
      'secrets',
      '',
      'User "reader" cannot list resource "secrets" in API group "" in the namespace "NAMESPACE"',
    ),
  ],
  [
    'reader',
    'create Deployments',
    (api, { apps }) => api.post(apps('deployments'), deployment('new')),
    forbidden(
      'deployments.apps',
      '',
      'User "reader" cannot create resource "deployments" in API group "apps" in the namespace "NAMESPACE"',
    ),
  ],
  [
    'reader',
    'scale',
    (api, { apps }) => api.patch(apps('deployments/web/scale'), 'merge', {}),
    forbidden(
      'deployments.apps',
      'web',
      'User "reader" cannot patch resource "deployments/scale" in API group "apps" in the namespace "NAMESPACE"',
    ),
  ],
  [
    'reader',
    'watch Pods',
    (api, { core }) => api.get(core('pods'), { query: { watch: 'true' } }),
    forbidden(
      'pods',
      '',
      'User "reader" cannot watch resource "pods" in API group "" in the namespace "NAMESPACE"',
    ),
  ],
  [
    'reader',
    'read a Node',
    (api) => api.get('/api/v1/nodes/some'),
    forbidden(
      'nodes',
      'some',
      'User "reader" cannot get resource "nodes" in API group "" at the cluster scope',
    ),
  ],
  [
    'reader',
    'read a path that is no resource',
    (api) => api.get('/metrics'),
    {
      code: 403,
      reason: 'Forbidden',
      message: 'forbidden: User "reader" cannot get path "/metrics"',
      details: {},
    },
  ],
  [
    'named',
    'get another',
    (api, { core }) => api.get(core('configmaps/other')),
    forbidden(
      'configmaps',
      'other',
      'User "named" cannot get resource "configmaps" in API group "" in the namespace "NAMESPACE"',
    ),
  ],
  [
    'named',
    'list',
    (api, { core }) => api.get(core('configmaps')),
    forbidden(
      'configmaps',
      '',
      'User "named" cannot list resource "configmaps" in API group "" in the namespace "NAMESPACE"',
    ),
  ],
  [
    'viewer',
    'read Secrets',
    (api, { core }) => api.get(core('secrets')),
    forbidden(
      'secrets',
      '',
      'User "viewer" cannot list resource "secrets" in API group "" in the namespace "NAMESPACE"',
    ),
  ],
  [
    'editor',
    'write Roles',
    (api, target) => api.post(target.group(version, 'roles'), role('x', [])),
    forbidden(
      'roles.rbac.authorization.k8s.io',
      '',
      'User "editor" cannot create resource "roles" in API group "rbac.authorization.k8s.io" in the namespace "NAMESPACE"',
    ),
  ],
  [
    'dangling',
    'anything, as the role is not there',
    (api, { core }) => api.get(core('configmaps')),
    forbidden(
      'configmaps',
      '',
      'User "dangling" cannot list resource "configmaps" in API group "" in the namespace "NAMESPACE": RBAC: role.rbac.authorization.k8s.io "no-such-role" not found',
    ),
  ],
  [
    'stranger',
    'anything',
    (api, { core }) => api.get(core('configmaps')),
    forbidden(
      'configmaps',
      '',
      'User "stranger" cannot list resource "configmaps" in API group "" in the namespace "NAMESPACE"',
    ),
  ],
];

const escalations: [what: string, plural: string, object: object, expected: Refusal][] = [
  [
    'a role with more than they have',
    'roles',
    role('more', [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'delete'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['*'] },
    ]),
    forbidden(
      'roles.rbac.authorization.k8s.io',
      'more',
      'user "granter" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["configmaps"], Verbs:["delete"]}\n{APIGroups:[""], Resources:["secrets"], Verbs:["*"]}',
    ),
  ],
  [
    'a binding to a role with more than they have',
    'rolebindings',
    binding('more', { kind: 'ClusterRole', name: 'cluster-admin' }, 'granter'),
    forbidden(
      'rolebindings.rbac.authorization.k8s.io',
      'more',
      'user "granter" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}',
    ),
  ],
];

const review = (user: string, resourceAttributes: object, more: object = {}) => ({
  apiVersion: authorization,
  kind: 'SubjectAccessReview',
  spec: { user, resourceAttributes, ...more },
});

export const rbac = contract('RBAC', (it) => {
  for (const [user, what, ask] of allowed)
    it(`${user} may ${what}`, async (target) => {
      const { code, text } = await ask(await as(target, user), target);
      expect(code, text).toBe(200);
    });

  for (const [user, what, ask, expected] of denied)
    it(`${user} may not ${what}`, async (target) => {
      refused(target, await ask(await as(target, user), target), expected);
    });

  it('a group and a service account have the rights of their bindings', async (target) => {
    await rights(target);
    const grouped = await target.as({ user: 'anyone', group: 'readers' });
    const robot = await target.as({ serviceAccount: 'default', namespace: target.namespace });
    expect((await grouped.get(target.core('configmaps'))).code).toBe(200);
    expect((await robot.get(target.core('configmaps'))).code).toBe(200);
  });

  for (const [what, plural, object, expected] of escalations)
    it(`nobody grants ${what}`, async (target) => {
      const granter = await as(target, 'granter');
      refused(target, await granter.post(target.group(version, plural), object), expected);
    });

  it('one may grant what one has', async (target) => {
    const granter = await as(target, 'granter');
    const less = role('less', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]);
    expect((await granter.post(target.group(version, 'roles'), less)).code).toBe(201);
  });

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

  for (const name of [
    'cluster-admin',
    'admin',
    'edit',
    'view',
    'system:discovery',
    'system:public-info-viewer',
    'system:basic-user',
  ])
    it(`the default role ${name} is there`, async ({ api }) => {
      const { code, body } = await api.get(`/apis/${version}/clusterroles/${name}`);
      expect(code).toBe(200);
      expect(body.metadata.labels).toMatchObject({ 'kubernetes.io/bootstrapping': 'rbac-defaults' });
    });

  it('a ClusterRole gathers the rules of others by their labels', async ({ api }) => {
    const { body } = await api.get(`/apis/${version}/clusterroles/edit`);
    expect(body['aggregationRule']).toEqual({
      clusterRoleSelectors: [{ matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' } }],
    });
  });
});
