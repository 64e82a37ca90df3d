import { expect } from 'vitest';
import { contract } from '../contract.ts';
import type { Answer, Query } from '../http.ts';
import { configMap, deployment, pod, secret, service, workload } from '../objects.ts';
import { notFound, refuses } from '../statuses.ts';
import { once, type Target } from '../target.ts';

const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const orJson = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };

interface Table {
  columnDefinitions: { name: string; type: string; format: string; description: string; priority: number }[];
  rows: { cells: unknown[]; object: { kind: string; metadata: { name: string } } }[];
}

const tableOf = ({ body }: Answer) => body as unknown as Table;

/** `NAME`, and in parentheses what only -o wide shows. */
const columns = (answer: Answer) =>
  tableOf(answer)
    .columnDefinitions.map(({ name, priority }) => (priority > 0 ? `(${name})` : name))
    .join(' ');

/** Ages differ in every run. */
const cells = (answer: Answer) =>
  tableOf(answer).rows.map((row) =>
    row.cells.map((cell) => (/^\d+(s|m\d*s?)$/.test(String(cell)) ? 'AGE' : cell)),
  );

const objects = once(async (target: Target) => {
  const { api, core, apps, group } = target;
  const rbac = 'rbac.authorization.k8s.io/v1';
  const containers = [
    { name: 'app', image: 'app:1' },
    { name: 'side', image: 'side:1' },
  ];
  const creations: [path: string, object: object][] = [
    [core('configmaps'), configMap('foo', { data: { a: '1', b: '2' }, binaryData: { c: 'eA==' } })],
    [core('secrets'), secret('foo', { data: { a: 'eA==' } })],
    [core('serviceaccounts'), { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'foo' } }],
    [core('pods'), pod('foo', { containers })],
    [
      core('services'),
      service('foo', { clusterIP: 'None', ports: [{ port: 80 }], selector: { app: 'app' } }),
    ],
    [apps('deployments'), deployment('foo', { paused: true })],
    [apps('replicasets'), workload('ReplicaSet', 'foo', { replicas: 0 })],
    [apps('statefulsets'), workload('StatefulSet', 'foo', { replicas: 0, serviceName: 'x' })],
    [
      apps('daemonsets'),
      workload('DaemonSet', 'foo', {
        template: {
          metadata: { labels: { app: 'app' } },
          spec: { nodeSelector: { no: 'where' }, containers },
        },
      }),
    ],
    [
      apps('controllerrevisions'),
      { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'foo' }, revision: 4, data: {} },
    ],
    [
      group('coordination.k8s.io/v1', 'leases'),
      {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'foo' },
        spec: { holderIdentity: 'me' },
      },
    ],
    [group(rbac, 'roles'), { apiVersion: rbac, kind: 'Role', metadata: { name: 'foo' } }],
    [
      group(rbac, 'rolebindings'),
      {
        apiVersion: rbac,
        kind: 'RoleBinding',
        metadata: { name: 'foo' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'foo' },
        subjects: [
          { kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' },
          { kind: 'ServiceAccount', name: 's', namespace: 'default' },
        ],
      },
    ],
    [
      core('events'),
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'foo' },
        involvedObject: { kind: 'ConfigMap', name: 'foo', namespace: target.namespace },
        type: 'Normal',
        reason: 'Tested',
        message: 'It works',
        count: 2,
        source: { component: 'suite' },
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
      },
    ],
  ];
  for (const [path, object] of creations) {
    const { code, text } = await api.post(path, object);
    if (code !== 201) throw new Error(`POST ${path}: ${code} ${text}`);
  }
});

async function table(target: Target, path: string, query: Query = {}): Promise<Answer> {
  await objects(target);
  return target.api.get(path, { query, headers: asTable });
}

/** The columns of a list, and the row of `foo`. */
const kinds: [kind: string, path: (target: Target) => string, columns: string, row: unknown[]][] = [
  ['ConfigMaps', ({ core }) => core('configmaps/foo'), 'Name Data Age', ['foo', 3, 'AGE']],
  ['Secrets', ({ core }) => core('secrets/foo'), 'Name Type Data Age', ['foo', 'Opaque', 1, 'AGE']],
  ['ServiceAccounts', ({ core }) => core('serviceaccounts/foo'), 'Name Age', ['foo', 'AGE']],
  [
    'Pods',
    ({ core }) => core('pods/foo'),
    'Name Ready Status Restarts Age (IP) (Node) (Nominated Node) (Readiness Gates)',
    ['foo', '0/2', 'Pending', '0', 'AGE', '<none>', '<none>', '<none>', '<none>'],
  ],
  [
    'Services',
    ({ core }) => core('services/foo'),
    'Name Type Cluster-IP External-IP Port(s) Age (Selector)',
    ['foo', 'ClusterIP', 'None', '<none>', '80/TCP', 'AGE', 'app=app'],
  ],
  [
    'Deployments',
    ({ apps }) => apps('deployments/foo'),
    'Name Ready Up-to-date Available Age (Containers) (Images) (Selector)',
    ['foo', '0/0', 0, 0, 'AGE', 'app', 'app:1', 'app=app'],
  ],
  [
    'ReplicaSets',
    ({ apps }) => apps('replicasets/foo'),
    'Name Desired Current Ready Age (Containers) (Images) (Selector)',
    ['foo', 0, 0, 0, 'AGE', 'app', 'app:1', 'app=app'],
  ],
  [
    'StatefulSets',
    ({ apps }) => apps('statefulsets/foo'),
    'Name Ready Age (Containers) (Images)',
    ['foo', '0/0', 'AGE', 'app', 'app:1'],
  ],
  [
    'DaemonSets',
    ({ apps }) => apps('daemonsets/foo'),
    'Name Desired Current Ready Up-to-date Available Node Selector Age (Containers) (Images) (Selector)',
    ['foo', 0, 0, 0, 0, 0, 'no=where', 'AGE', 'app,side', 'app:1,side:1', 'app=app'],
  ],
  [
    'ControllerRevisions',
    ({ apps }) => apps('controllerrevisions/foo'),
    'Name Controller Revision Age',
    ['foo', '<none>', 4, 'AGE'],
  ],
  [
    'Leases',
    ({ group }) => group('coordination.k8s.io/v1', 'leases/foo'),
    'Name Holder Age',
    ['foo', 'me', 'AGE'],
  ],
  [
    'RoleBindings',
    ({ group }) => group('rbac.authorization.k8s.io/v1', 'rolebindings/foo'),
    'Name Role Age (Users) (Groups) (ServiceAccounts)',
    ['foo', 'Role/foo', 'AGE', 'u', '', 'default/s'],
  ],
  [
    'Namespaces',
    ({ namespace }) => `/api/v1/namespaces/${namespace}`,
    'Name Status Age',
    ['NAMESPACE', 'Active', 'AGE'],
  ],
];

export const tables = contract('tables', (it) => {
  for (const [kind, path, expectedColumns, row] of kinds)
    it(`${kind} have the columns that kubectl shows`, async (target) => {
      const answer = await table(target, path(target));
      expect(answer.code).toBe(200);
      expect(columns(answer)).toBe(expectedColumns);
      expect(JSON.parse(JSON.stringify(cells(answer)[0]).replaceAll(target.namespace, 'NAMESPACE'))).toEqual(
        row,
      );
    });

  it('Roles tell when they were created', async (target) => {
    const answer = await table(target, target.group('rbac.authorization.k8s.io/v1', 'roles/foo'));
    expect(columns(answer)).toEqual('Name Created At');
    expect(cells(answer)).toEqual([['foo', expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)]]);
  });

  it('Events tell what happened to what', async (target) => {
    const answer = await table(target, target.core('events/foo'));
    expect(columns(answer)).toEqual(
      'Last Seen Type Reason Object (Subobject) (Source) Message (First Seen) (Count) (Name)',
    );
    expect(cells(answer)[0]?.slice(1, 7)).toEqual([
      'Normal',
      'Tested',
      'configmap/foo',
      '',
      'suite',
      'It works',
    ]);
  });

  it('Nodes have the columns that kubectl shows', async (target) => {
    expect(columns(await table(target, '/api/v1/nodes'))).toEqual(
      'Name Status Roles Age Version (Internal-IP) (External-IP) (OS-Image) (Kernel-Version) (Container-Runtime)',
    );
  });

  it('a table is a table in all its fields', async (target) => {
    const { body, headers } = await table(target, target.core('configmaps/foo'));
    expect(Object.keys(body)).toEqual(['kind', 'apiVersion', 'metadata', 'columnDefinitions', 'rows']);
    expect(body).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: expect.any(String) },
    });
    expect(headers['content-type']).toBe('application/json');
    const { columnDefinitions } = body as unknown as Table;
    expect(columnDefinitions[0]).toMatchObject({ name: 'Name', type: 'string', format: 'name', priority: 0 });
    expect(columnDefinitions[0]?.description).toMatch(/^Name must be unique within a namespace/);
  });

  it('a row carries the metadata of its object', async (target) => {
    const answer = await table(target, target.core('configmaps/foo'));
    expect(tableOf(answer).rows[0]?.object).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'foo' },
    });
  });

  it('includeObject=Object carries all of it', async (target) => {
    const answer = await table(target, target.core('configmaps/foo'), { includeObject: 'Object' });
    expect(tableOf(answer).rows[0]?.object).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      data: { a: '1' },
    });
  });

  it('includeObject=None carries nothing', async (target) => {
    const answer = await table(target, target.core('configmaps/foo'), { includeObject: 'None' });
    expect(tableOf(answer).rows[0]?.object ?? 'nothing').toEqual('nothing');
  });

  it('a list is a table with a row for each, in pages, too', async (target) => {
    await objects(target);
    await target.api.post(target.core('configmaps'), configMap('goo'));
    const answer = await table(target, target.core('configmaps'), {
      fieldSelector: 'metadata.name!=kube-root-ca.crt',
      limit: '1',
    });
    expect(cells(answer)).toEqual([['foo', 3, 'AGE']]);
    expect(answer.body.metadata.continue).toEqual(expect.any(String));
  });

  it('an empty list is a table without rows', async (target) => {
    const answer = await table(target, target.core('configmaps'), { labelSelector: 'no=such' });
    expect(tableOf(answer).rows).toEqual([]);
  });

  it(
    'a Status is never a table',
    refuses(
      ({ api, core }) => api.get(core('configmaps/nobody'), { headers: orJson }),
      notFound('configmaps', 'nobody'),
    ),
  );

  it('a watch tells tables, and the columns only once', async (target) => {
    const { api, core } = target;
    await using watch = await api.watch(core('secrets'), { fieldSelector: 'metadata.name=watched' }, asTable);
    await api.post(core('secrets'), secret('watched'));
    await api.patch(core('secrets/watched'), 'merge', { data: { a: 'eA==' } });
    const events = await watch.next(2);
    const told = events.map(({ type, object }) => [
      type,
      object.kind,
      (object as unknown as Table).columnDefinitions?.length ?? 0,
      (object as unknown as Table).rows[0]?.cells[2],
    ]);
    expect(told).toEqual([
      ['ADDED', 'Table', 4, 0],
      ['MODIFIED', 'Table', 0, 1],
    ]);
  });

  it('a deployment’s -o wide columns tell containers, images and selector', async (target) => {
    const answer = await table(target, target.apps('deployments/foo'));
    expect(cells(answer)[0]?.slice(-3)).toEqual(['app', 'app:1', 'app=app']);
  });

  it('a version of tables that is none is not acceptable', async (target) => {
    const { code, body } = await target.api.get(target.core('configmaps'), {
      headers: { accept: 'application/json;as=Table;v=v9;g=meta.k8s.io' },
    });
    expect([code, body['reason'], body['message']]).toEqual([
      406,
      'NotAcceptable',
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ]);
  });

  const podStates: [what: string, status: object, expected: unknown[]][] = [
    [
      'waiting',
      {
        containerStatuses: [
          {
            name: 'app',
            image: '',
            imageID: '',
            ready: false,
            restartCount: 0,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
          },
        ],
      },
      ['0/1', 'CrashLoopBackOff', '0', 'AGE', '<none>'],
    ],
    [
      'running',
      {
        phase: 'Running',
        podIP: '10.0.0.9',
        podIPs: [{ ip: '10.0.0.9' }],
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [
          {
            name: 'app',
            image: '',
            imageID: '',
            ready: true,
            restartCount: 2,
            state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
          },
        ],
      },
      ['1/1', 'Running', '2', 'AGE', '10.0.0.9'],
    ],
    ['failed', { phase: 'Failed', reason: 'Evicted' }, ['0/1', 'Evicted', '0', 'AGE', '<none>']],
    [
      'done',
      {
        phase: 'Succeeded',
        containerStatuses: [
          {
            name: 'app',
            image: '',
            imageID: '',
            ready: false,
            restartCount: 0,
            state: { terminated: { exitCode: 0, reason: 'Completed' } },
          },
        ],
      },
      ['0/1', 'Completed', '0', 'AGE', '<none>'],
    ],
    [
      'ended by a signal',
      {
        containerStatuses: [
          {
            name: 'app',
            image: '',
            imageID: '',
            ready: false,
            restartCount: 0,
            state: { terminated: { exitCode: 137, signal: 9 } },
          },
        ],
      },
      ['0/1', 'Signal:9', '0', 'AGE', '<none>'],
    ],
  ];
  for (const [what, status, expected] of podStates)
    it(`a pod that is ${what} shows it`, async ({ api, core }) => {
      const { body } = await api.post(core('pods'), pod({ generateName: 'state-' }));
      await api.patch(core(`pods/${body.metadata.name}/status`), 'strategic', { status });
      const [row = []] = cells(await api.get(core(`pods/${body.metadata.name}`), { headers: asTable }));
      expect(row.slice(1, 6)).toEqual(expected);
    });

  it('a pod that is going shows it', async ({ api, core }) => {
    await api.post(core('pods'), pod({ name: 'going', finalizers: ['example.com/wait'] }));
    await api.delete(core('pods/going'));
    const [row = []] = cells(await api.get(core('pods/going'), { headers: asTable }));
    expect(row.slice(0, 4)).toEqual(['going', '0/1', 'Terminating', '0']);
    await api.patch(core('pods/going'), 'merge', { metadata: { finalizers: null } });
  });
});
