import type { Answer, Query } from './http.ts';
import { configMap, deployment, pod, replicationController, secret, service, workload } from './objects.ts';
import { once, type Target } from './target.ts';

export const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

export interface Table {
  columnDefinitions: { name: string; type: string; format: string; description: string; priority: number }[];
  rows: { cells: unknown[]; object: { kind: string; metadata: { name: string } } }[];
}

export const tableOf = ({ body }: Answer) => body as unknown as Table;

/** Cells of all rows, with ages replaced by AGE, as they differ in every run. */
export const cells = (answer: Answer) =>
  tableOf(answer).rows.map((row) =>
    row.cells.map((cell) => (/^\d+(s|m\d*s?)$/.test(String(cell)) ? 'AGE' : cell)),
  );

export const objects = once(async (target: Target) => {
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
    [core('replicationcontrollers'), replicationController('foo')],
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

export async function table(target: Target, path: string, query: Query = {}): Promise<Answer> {
  await objects(target);
  return target.api.get(path, { query, headers: asTable });
}

/** Names of the columns; columns that only -o wide shows are in parentheses. */
export const columns = (answer: Answer) =>
  tableOf(answer)
    .columnDefinitions.map(({ name, priority }) => (priority > 0 ? `(${name})` : name))
    .join(' ');
