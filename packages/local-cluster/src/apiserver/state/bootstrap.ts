import { randomUUID } from 'node:crypto';
import { timestamp } from '../../objects/timestamp.ts';
import { StatusError } from '../errors/status-error.ts';
import { namespace } from '../kinds/core/namespace.ts';
import { service } from '../kinds/core/service.ts';
import type { Kind } from '../kinds/kind.ts';
import { clusterRoleBindings, clusterRoles } from '../kinds/policy/rbac.ts';
import { priorityClass, systemClasses } from '../kinds/scheduling/priority-class.ts';
import { defaultRoles } from '../rbac/default-roles.ts';
import type { ObjectStorage } from '../storage/object-storage.ts';

const namespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** Creates the objects that every cluster has from the start. Existing objects are not changed. */
export async function bootstrap(storage: ObjectStorage, now: number): Promise<void> {
  for (const name of namespaces)
    await ensure(storage, namespace, { metadata: { name }, spec: { finalizers: ['kubernetes'] } }, now);
  const { clusterRoles: roles, clusterRoleBindings: bindings } = defaultRoles();
  await Promise.all([
    ...roles.map((each) => ensure(storage, clusterRoles, each, now)),
    ...bindings.map((each) => ensure(storage, clusterRoleBindings, each, now)),
    ...systemClasses.map(({ name, ...body }) =>
      ensure(storage, priorityClass, { metadata: { name, generation: 1 }, ...body }, now),
    ),
  ]);
  await ensure(
    storage,
    service,
    {
      metadata: {
        name: 'kubernetes',
        namespace: 'default',
        labels: { component: 'apiserver', provider: 'kubernetes' },
      },
      spec: {
        ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
        clusterIP: '10.96.0.1',
        clusterIPs: ['10.96.0.1'],
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
        type: 'ClusterIP',
        sessionAffinity: 'None',
      },
    },
    now,
  );
}

async function ensure(storage: ObjectStorage, kind: Kind, body: object, now: number): Promise<void> {
  const object = kind.codec.decode(body, []);
  object.metadata.uid = randomUUID();
  object.metadata.creationTimestamp = timestamp(now);
  const { namespace: where, name = '' } = object.metadata;
  if (storage.text(kind, where, name) !== undefined) return;
  await storage.create(kind, object).catch((error: unknown) => {
    if (!(error instanceof StatusError && error.status.reason === 'AlreadyExists')) throw error;
  });
}
