import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { ClusterAccess } from '../access.ts';
import type { ClusterOverrides } from './cluster-overrides.ts';
import { inClusterAccess, inClusterEntries, podNamespace, serviceAccountFolder } from './in-cluster.ts';
import { unusable } from './unusable.ts';
import type { UserOverrides } from './user-overrides.ts';

/** The flags of kubectl with the same names. access-flags.ts declares them. */
export interface LoadAccessOptions extends ClusterOverrides, UserOverrides {
  /**
   * Path of a kubeconfig, which must exist. Defaults to KUBECONFIG, then `~/.kube/config`, then the service account.
   */
  kubeconfig?: string;
  /** Defaults to the current-context of the kubeconfig. */
  context?: string;
  /** Entry of the kubeconfig that replaces the cluster of the context. */
  cluster?: string;
  /** Entry of the kubeconfig that replaces the user of the context. */
  user?: string;
}

/**
 * Finds the cluster and its credentials in the same order as kubectl. Rejects with an OperationalError
 * `KubeconfigUnusable`. Exec plugins and token files are used only when a request needs a credential.
 */
export async function loadAccess(
  options: LoadAccessOptions,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<ClusterAccess> {
  const source = chooseSource(options, env, homedir());
  // Modules are imported on demand, so a program in a pod loads neither the YAML parser nor `@kubernetes/client-node`.
  if (source !== 'service account' && source !== 'flags') {
    const { kubeconfigAccess } = await import('./kubeconfig-access.ts');
    return kubeconfigAccess(source, options);
  }
  for (const flag of ['context', 'cluster', 'user'] as const) {
    if (options[flag] !== undefined)
      throw unusable(
        `--${flag} '${options[flag]}' requires a kubeconfig, but none exists. Set --kubeconfig or KUBECONFIG.`,
      );
  }
  const pod = source === 'service account' ? await inClusterAccess(env) : undefined;
  if (pod !== undefined && Object.keys(options).length === 0) return pod;
  const { entryAccess } = await import('./entry-access.ts');
  const onlyFlags = { cluster: { name: '' }, user: { name: '' }, origin: 'the flags' };
  const entries =
    pod === undefined ? { ...onlyFlags, namespace: await podNamespace() } : inClusterEntries(pod);
  return entryAccess(entries, options);
}

/** The names of the entries of the kubeconfig, for the completion of flags; none when there is no kubeconfig. */
export async function kubeconfigNames(
  options: LoadAccessOptions,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Record<'contexts' | 'clusters' | 'users', string[]>> {
  const source = chooseSource(options, env, homedir());
  if (source === 'service account' || source === 'flags') return { contexts: [], clusters: [], users: [] };
  const { readKubeconfig } = await import('./kubeconfig-file.ts');
  const { contexts, clusters, users } = await readKubeconfig(source);
  const names = (entries: readonly { name: string }[]) => entries.map(({ name }) => name);
  return { contexts: names(contexts), clusters: names(clusters), users: names(users) };
}

export interface KubeconfigSource {
  files: string[];
  /** As in kubectl, files listed in KUBECONFIG may be missing, but the file of --kubeconfig must exist. */
  mayBeMissing: boolean;
}

/** With --server, no kubeconfig is required, and the service account is not used. */
function chooseSource(
  { kubeconfig, server }: LoadAccessOptions,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): KubeconfigSource | 'service account' | 'flags' {
  // A flag that reads KUBECONFIG passes the value of the variable, which may list several files.
  if (kubeconfig !== undefined && kubeconfig !== env['KUBECONFIG'])
    return { files: [kubeconfig], mayBeMissing: false };
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  const inHome = join(home, '.kube', 'config');
  const exists = (listed.length > 0 ? listed : [inHome]).some((file) => existsSync(file));
  if (server !== undefined && !exists) return 'flags';
  if (listed.length > 0) return { files: listed, mayBeMissing: true };
  if (exists) return { files: [inHome], mayBeMissing: false };
  if (env['KUBERNETES_SERVICE_HOST'] && existsSync(join(serviceAccountFolder, 'token')))
    return 'service account';
  throw unusable(
    `No cluster is configured: --kubeconfig and KUBECONFIG are not set, ${inHome} does not exist, and the program does not run in a pod.`,
  );
}
