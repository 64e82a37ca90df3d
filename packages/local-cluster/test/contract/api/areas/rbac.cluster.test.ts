import { expect } from 'vitest';
import { contract } from '../contract.ts';
import type { Api } from '../http.ts';
import { configMap, deployment } from '../objects.ts';
import { as, binding, rights, role, version } from '../rights.ts';
import { forbidden, type Refusal, refused } from '../statuses.ts';
import type { Target } from '../target.ts';

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

contract('RBAC', (it) => {
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
