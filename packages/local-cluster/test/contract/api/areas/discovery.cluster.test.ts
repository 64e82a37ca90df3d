import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { contract } from '../contract.ts';

const aggregated = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };

interface Resource {
  name: string;
  namespaced: boolean;
  kind: string;
  verbs: string[];
  shortNames?: string[];
}

const ours: [group: string, plurals: string[]][] = [
  [
    'v1',
    [
      'namespaces',
      'namespaces/status',
      'namespaces/finalize',
      'configmaps',
      'secrets',
      'pods',
      'pods/status',
      'replicationcontrollers',
      'replicationcontrollers/status',
      'replicationcontrollers/scale',
      'services',
      'serviceaccounts',
      'serviceaccounts/token',
      'events',
      'nodes',
    ],
  ],
  [
    'apps/v1',
    [
      'deployments',
      'deployments/status',
      'deployments/scale',
      'replicasets',
      'replicasets/status',
      'replicasets/scale',
      'statefulsets',
      'statefulsets/status',
      'statefulsets/scale',
      'daemonsets',
      'daemonsets/status',
      'controllerrevisions',
    ],
  ],
  ['coordination.k8s.io/v1', ['leases']],
  ['rbac.authorization.k8s.io/v1', ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings']],
  ['authentication.k8s.io/v1', ['tokenreviews', 'selfsubjectreviews']],
  [
    'authorization.k8s.io/v1',
    [
      'subjectaccessreviews',
      'selfsubjectaccessreviews',
      'localsubjectaccessreviews',
      'selfsubjectrulesreviews',
    ],
  ],
  ['apiextensions.k8s.io/v1', ['customresourcedefinitions', 'customresourcedefinitions/status']],
  [
    'admissionregistration.k8s.io/v1',
    [
      'mutatingadmissionpolicies',
      'mutatingadmissionpolicybindings',
      'mutatingwebhookconfigurations',
      'validatingwebhookconfigurations',
      'validatingadmissionpolicies',
      'validatingadmissionpolicies/status',
      'validatingadmissionpolicybindings',
    ],
  ],
];

const pathOf = (group: string) => (group === 'v1' ? '/api/v1' : `/apis/${group}`);

contract('discovery', (it) => {
  it('/api tells the versions of the core group', async ({ api }) => {
    const { code, body } = await api.get('/api');
    expect(code).toBe(200);
    expect(body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
  });

  it('/apis tells the groups and their preferred versions', async ({ api }) => {
    const { body } = await api.get('/apis');
    expect(body).toMatchObject({ kind: 'APIGroupList', apiVersion: 'v1' });
    const groups = body['groups'] as { name: string; preferredVersion: object }[];
    for (const [group] of ours.slice(1)) {
      const [name = '', version] = group.split('/');
      expect(groups).toContainEqual(
        expect.objectContaining({ name, preferredVersion: { groupVersion: group, version } }),
      );
    }
  });

  it('/apis/GROUP tells one group', async ({ api }) => {
    const { body } = await api.get('/apis/apps');
    expect(body).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'apps',
      versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
      preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
    });
  });

  for (const [group, plurals] of ours)
    it(`${group} serves what it should`, async ({ api }) => {
      const { body } = await api.get(pathOf(group));
      expect(body).toMatchObject({ kind: 'APIResourceList', groupVersion: group });
      expect((body['resources'] as Resource[]).map(({ name }) => name)).toEqual(
        expect.arrayContaining(plurals),
      );
    });

  const entries: [group: string, name: string, expected: object][] = [
    [
      'v1',
      'configmaps',
      {
        name: 'configmaps',
        singularName: 'configmap',
        namespaced: true,
        kind: 'ConfigMap',
        verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
        shortNames: ['cm'],
      },
    ],
    [
      'v1',
      'pods',
      {
        name: 'pods',
        singularName: 'pod',
        namespaced: true,
        kind: 'Pod',
        verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
        shortNames: ['po'],
        categories: ['all'],
      },
    ],
    [
      'v1',
      'pods/ephemeralcontainers',
      {
        name: 'pods/ephemeralcontainers',
        singularName: '',
        namespaced: true,
        kind: 'Pod',
        verbs: ['get', 'patch', 'update'],
      },
    ],
    [
      'admissionregistration.k8s.io/v1',
      'mutatingadmissionpolicies',
      {
        name: 'mutatingadmissionpolicies',
        singularName: 'mutatingadmissionpolicy',
        namespaced: false,
        kind: 'MutatingAdmissionPolicy',
        verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
        categories: ['api-extensions'],
      },
    ],
    [
      'v1',
      'namespaces',
      {
        name: 'namespaces',
        singularName: 'namespace',
        namespaced: false,
        kind: 'Namespace',
        verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
        shortNames: ['ns'],
      },
    ],
    [
      'v1',
      'serviceaccounts/token',
      {
        name: 'serviceaccounts/token',
        singularName: '',
        namespaced: true,
        group: 'authentication.k8s.io',
        version: 'v1',
        kind: 'TokenRequest',
        verbs: ['create'],
      },
    ],
    [
      'v1',
      'replicationcontrollers',
      {
        name: 'replicationcontrollers',
        singularName: 'replicationcontroller',
        namespaced: true,
        kind: 'ReplicationController',
        verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
        shortNames: ['rc'],
        categories: ['all'],
      },
    ],
    [
      'apps/v1',
      'deployments',
      {
        name: 'deployments',
        singularName: 'deployment',
        namespaced: true,
        kind: 'Deployment',
        verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
        shortNames: ['deploy'],
        categories: ['all'],
      },
    ],
    [
      'apps/v1',
      'deployments/scale',
      {
        name: 'deployments/scale',
        singularName: '',
        namespaced: true,
        group: 'autoscaling',
        version: 'v1',
        kind: 'Scale',
        verbs: ['get', 'patch', 'update'],
      },
    ],
    [
      'apps/v1',
      'deployments/status',
      {
        name: 'deployments/status',
        singularName: '',
        namespaced: true,
        kind: 'Deployment',
        verbs: ['get', 'patch', 'update'],
      },
    ],
    [
      'authentication.k8s.io/v1',
      'tokenreviews',
      {
        name: 'tokenreviews',
        singularName: 'tokenreview',
        namespaced: false,
        kind: 'TokenReview',
        verbs: ['create'],
      },
    ],
    [
      'apiextensions.k8s.io/v1',
      'customresourcedefinitions',
      {
        name: 'customresourcedefinitions',
        singularName: 'customresourcedefinition',
        namespaced: false,
        kind: 'CustomResourceDefinition',
        verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
        shortNames: ['crd', 'crds'],
        categories: ['api-extensions'],
      },
    ],
  ];
  for (const [group, name, expected] of entries)
    it(`${group} tells how ${name} are used`, async ({ api }) => {
      const { body } = await api.get(pathOf(group));
      const { storageVersionHash: _, ...entry } =
        (body['resources'] as (Resource & { storageVersionHash?: string })[]).find(
          (each) => each.name === name,
        ) ?? {};
      expect(entry).toEqual(expected);
    });

  for (const path of ['/api', '/apis'])
    it(`${path} tells everything at once to who asks for it`, async ({ api }) => {
      const { code, headers, body } = await api.get(path, { headers: aggregated });
      expect(code).toBe(200);
      expect(headers['content-type']).toBe(
        'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
      );
      expect(headers['vary']).toBe('Accept');
      expect(body).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' });
      const group = body.items.find(
        ({ metadata }) => metadata.name === (path === '/api' ? undefined : 'apps'),
      );
      const [version] = (group?.['versions'] ?? []) as {
        version: string;
        resources: { resource: string }[];
      }[];
      expect(version?.version).toBe('v1');
      const resource = version?.resources.find(
        (each) => each.resource === (path === '/api' ? 'configmaps' : 'deployments'),
      );
      expect(resource).toMatchObject({
        responseKind: { kind: path === '/api' ? 'ConfigMap' : 'Deployment', group: '', version: '' },
        scope: 'Namespaced',
        shortNames: [path === '/api' ? 'cm' : 'deploy'],
      });
    });

  it('a client that knows the answer already is told so', async ({ api }) => {
    // Other areas define kinds concurrently, which changes the response and its ETag.
    const text = await waitFor('the same answer twice', async () => {
      const { headers } = await api.get('/apis', { headers: aggregated });
      const known = String(headers['etag']);
      const again = await api.get('/apis', { headers: { ...aggregated, 'if-none-match': known } });
      if (again.code === 304) return { met: again.text };
      expect([again.code, again.headers['etag']]).not.toEqual([200, known]);
      return { seen: `${again.code} ${again.headers['etag']} after ${known}` };
    });
    expect(text).toBe('');
  });

  it('a group that is not there is a plain 404', async ({ api }) => {
    const { code, text } = await api.get('/apis/nonsense.example.com');
    expect([code, text]).toEqual([404, '404 page not found\n']);
  });

  it('a version that is not there is not found', async ({ api }) => {
    const { code, text } = await api.get('/apis/apps/v9');
    expect([code, text]).toEqual([
      404,
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404}\n',
    ]);
  });

  it('/version tells what it is', async ({ api }) => {
    const { code, body } = await api.get('/version');
    expect(code).toBe(200);
    expect(Object.keys(body)).toEqual(expect.arrayContaining(['major', 'minor', 'gitVersion', 'platform']));
    expect(body).toMatchObject({ major: '1', minor: '36', gitVersion: expect.stringMatching(/^v1\.36\./) });
  });

  for (const path of ['/healthz', '/readyz', '/livez'])
    it(`${path} answers ok, and in more words when asked`, async ({ api }) => {
      const { code, text, headers } = await api.get(path);
      expect([code, text, headers['content-type']]).toEqual([200, 'ok', 'text/plain; charset=utf-8']);
      const verbose = await api.get(path, { query: { verbose: 'true' } });
      expect(verbose.text).toMatch(/^\[\+\]ping ok\n/);
      expect(verbose.text).toMatch(new RegExp(`\\n${path.slice(1)} check passed\\n$`));
    });

  it('/openapi/v3 tells where the schemas are', async ({ api }) => {
    const { body } = await api.get('/openapi/v3');
    const paths = body['paths'] as Record<string, { serverRelativeURL: string }>;
    for (const [group] of ours)
      expect(paths[pathOf(group).slice(1)]?.serverRelativeURL).toMatch(
        new RegExp(`^/openapi/v3${pathOf(group)}\\?hash=[0-9A-F]+$`),
      );
  });

  it('a schema tells types, kinds and merge keys', async ({ api }) => {
    const { code, body } = await api.get('/openapi/v3/apis/apps/v1');
    expect(code).toBe(200);
    expect(body).toMatchObject({ openapi: '3.0.0' });
    const { schemas } = body['components'] as {
      schemas: Record<string, { properties: Record<string, object> }>;
    };
    expect(schemas['io.k8s.api.apps.v1.Deployment']).toMatchObject({
      type: 'object',
      'x-kubernetes-group-version-kind': [{ group: 'apps', kind: 'Deployment', version: 'v1' }],
    });
    expect(schemas['io.k8s.api.core.v1.PodSpec']?.properties['containers']).toMatchObject({
      type: 'array',
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
    });
    const paths = body['paths'] as Record<
      string,
      Record<string, { parameters?: { name: string }[]; 'x-kubernetes-action'?: string }>
    >;
    const { patch } = paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}'] ?? {};
    expect(patch).toMatchObject({
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': { group: 'apps', kind: 'Deployment', version: 'v1' },
    });
    expect(patch?.parameters?.map(({ name }) => name)).toContain('fieldValidation');
  });

  it('the root tells the paths that there are', async ({ api }) => {
    const { body } = await api.get('/');
    expect(body['paths']).toEqual(
      expect.arrayContaining([
        '/api',
        '/api/v1',
        '/apis',
        '/apis/apps',
        '/apis/apps/v1',
        '/healthz',
        '/version',
      ]),
    );
  });

  it('a path that is nothing is a plain 404', async ({ api }) => {
    const { code, text } = await api.get('/nonsense');
    expect([code, text]).toEqual([404, '404 page not found\n']);
  });
});
