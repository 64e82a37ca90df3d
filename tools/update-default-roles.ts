import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { toolArguments } from '@trimtab/test-bed/tool-arguments.ts';

/** Roles of users and groups. The local cluster does not use the roles of Kubernetes' own controllers. */
const wanted = [
  /^(cluster-admin|admin|edit|view)$/,
  /^system:aggregate-to-/,
  /^system:(auth-delegator|basic-user|discovery|monitoring|public-info-viewer|service-account-issuer-discovery)$/,
];

interface Found extends KubeObject {
  rules?: unknown;
  aggregationRule?: unknown;
  roleRef?: unknown;
  subjects?: unknown;
}

const resource = (plural: string, kind: string): Resource => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural,
  kind,
  namespaced: false,
});

const help = `Usage: node tools/update-default-roles.ts

Writes packages/local-cluster/src/apiserver/rbac/default-roles.json from the cluster that KUBECONFIG names.

  -h, --help  print this text
`;

toolArguments({ help });
const client = httpClient({ access: await loadAccess({}), log: silentLogger });
const read = async (plural: string, kind: string) => {
  const { items } = await client.list<Found>(resource(plural, kind));
  return items
    .filter(({ metadata }) => wanted.some((each) => each.test(metadata.name ?? '')))
    .map(({ metadata: { name, labels, annotations }, rules, aggregationRule, roleRef, subjects }) => ({
      metadata: { name, labels, annotations },
      ...{ aggregationRule, rules, roleRef, subjects },
    }));
};
const roles = {
  clusterRoles: await read('clusterroles', 'ClusterRole'),
  clusterRoleBindings: await read('clusterrolebindings', 'ClusterRoleBinding'),
};
const file = join(import.meta.dirname, '../packages/local-cluster/src/apiserver/rbac/default-roles.json');
await writeFile(file, `${JSON.stringify(roles, undefined, 1)}\n`);
client.close();
