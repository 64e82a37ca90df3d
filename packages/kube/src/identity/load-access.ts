import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { ClusterAccess } from '../access.ts';
import { errors, OperationalError } from '../errors.ts';
import { inClusterAccess, serviceAccountFolder } from './in-cluster.ts';

export interface LoadAccessOptions {
  /**
   * Path of a kubeconfig, which must exist. Defaults to KUBECONFIG, then `~/.kube/config`, then the service account.
   */
  kubeconfig?: string;
  /** Defaults to the current-context of the kubeconfig. */
  context?: string;
}

/**
 * Finds the cluster and its credentials in the same order as kubectl. Rejects with an OperationalError
 * `KubeconfigUnusable`. Exec plugins and token files are used only when a request needs a credential.
 */
export async function loadAccess(options: LoadAccessOptions): Promise<ClusterAccess> {
  const source = chooseSource(options.kubeconfig, process.env, homedir());
  if (source === 'service account') {
    if (options.context !== undefined)
      throw new OperationalError(
        errors.KubeconfigUnusable,
        `Context '${options.context}' requires a kubeconfig, but only the pod's service account is available. Set --kubeconfig or KUBECONFIG.`,
      );
    return inClusterAccess(process.env);
  }
  // Imported on demand, so a program in a pod loads neither the YAML parser nor `@kubernetes/client-node`.
  const { kubeconfigAccess } = await import('./kubeconfig-access.ts');
  return kubeconfigAccess(source, options.context);
}

export interface KubeconfigSource {
  files: string[];
  /** As in kubectl, files listed in KUBECONFIG may be missing, but the file of --kubeconfig must exist. */
  mayBeMissing: boolean;
}

function chooseSource(
  named: string | undefined,
  env: NodeJS.ProcessEnv,
  home: string,
): KubeconfigSource | 'service account' {
  if (named !== undefined) return { files: [named], mayBeMissing: false };
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  if (listed.length > 0) return { files: listed, mayBeMissing: true };
  const inHome = join(home, '.kube', 'config');
  if (existsSync(inHome)) return { files: [inHome], mayBeMissing: false };
  if (env['KUBERNETES_SERVICE_HOST'] && existsSync(join(serviceAccountFolder, 'token')))
    return 'service account';
  throw new OperationalError(
    errors.KubeconfigUnusable,
    `No cluster is configured: --kubeconfig and KUBECONFIG are not set, ${inHome} does not exist, and the program does not run in a pod.`,
  );
}
