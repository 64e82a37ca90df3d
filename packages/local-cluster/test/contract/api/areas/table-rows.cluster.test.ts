import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { pod } from '../objects.ts';
import { asTable, cells, columns, table } from '../table-objects.ts';
import type { Target } from '../target.ts';

/** The expected columns of a kind, and the row of `foo`. */
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
    'ReplicationControllers',
    ({ core }) => core('replicationcontrollers/foo'),
    'Name Desired Current Ready Age (Containers) (Images) (Selector)',
    ['foo', 0, 0, 0, 'AGE', 'app', 'app:1', 'app=app'],
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

contract('rows of tables', (it) => {
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
