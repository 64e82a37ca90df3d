import type { ClusterAccess } from '../access.ts';
import { type ClusterOverrides, isHttpUrl, overrideCluster } from './cluster-overrides.ts';
import { impersonationOf } from './impersonation.ts';
import { type Cluster, clusterOf, isRecord, type NamedEntry, userOf } from './kubeconfig-entries.ts';
import { tlsSource } from './tls-source.ts';
import { unusable } from './unusable.ts';
import { credentialSourceOf } from './user-credential.ts';
import { overrideUser, type UserOverrides } from './user-overrides.ts';

export interface AccessEntries {
  /** The body is under `cluster`. */
  cluster: NamedEntry;
  /** The body is under `user`. */
  user: NamedEntry;
  namespace: string;
  /** Paths of the kubeconfig, for errors. */
  origin: string;
}

/** Access as described by a cluster and a user, with the fields that flags override. */
export async function entryAccess(
  entries: AccessEntries,
  overrides: ClusterOverrides & UserOverrides,
): Promise<ClusterAccess> {
  const cluster = usableCluster(entries, overrides);
  const { name } = entries.user;
  const where = `user '${name}' in ${entries.origin}`;
  const body = overrideUser(bodyOf(entries.user, 'user'), overrides, where);
  const user = userOf({ name, user: body });
  const credential = credentialSourceOf(user, body, cluster);
  const { headers, ...repeated } = impersonationOf(body, overrides.asGroup ?? [], where);
  const tls = tlsSource(cluster, user, credential, overrides);
  await tls.check();
  return {
    server: cluster.server,
    namespace: entries.namespace,
    tls: () => tls.settings(),
    headers: async () => ({ ...(await credential.current()).headers, ...headers }),
    ...repeated,
    invalidate: () => credential.invalidate(),
  };
}

function usableCluster({ cluster: entry, origin }: AccessEntries, overrides: ClusterOverrides): Cluster {
  const { name } = entry;
  const cluster = clusterOf({ name, cluster: overrideCluster(bodyOf(entry, 'cluster'), overrides) });
  if (cluster === undefined) throw unusable(`The cluster '${name}' in ${origin} is incomplete.`);
  const where = `Cluster '${name}' in ${origin}`;
  if (!isHttpUrl(cluster.server))
    throw unusable(`${where} has the server '${cluster.server}', which is not an http or https URL.`);
  if (cluster.proxyUrl)
    throw unusable(
      `${where} has a proxy-url, which is not supported. Remove it, and allow direct connections to the API server.`,
    );
  if (cluster.skipTLSVerify && (cluster.caData || cluster.caFile))
    throw unusable(
      `${where} has both insecure-skip-tls-verify and a certificate-authority: remove one of them.`,
    );
  return cluster;
}

function bodyOf(entry: NamedEntry, field: 'cluster' | 'user'): Record<string, unknown> {
  const body = entry[field];
  return isRecord(body) ? body : {};
}
