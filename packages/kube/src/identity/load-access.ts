import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { ClusterAccess } from '../access.ts';
import { errors, OperationalError } from '../errors.ts';
import { inClusterAccess, serviceAccountFolder } from './in-cluster.ts';

export interface LoadAccessOptions {
  /** One file, which must be there. Without it: KUBECONFIG, `~/.kube/config`, the pod's service account. */
  kubeconfig?: string;
  /** The kubeconfig's current context unless told. */
  context?: string;
}

/**
 * How to reach the cluster that the user means, found as kubectl finds it. Rejects with a OperationalError
 * `KubeconfigUnusable`; plugins and token files are asked only when a request needs them.
 */
export async function loadAccess(options: LoadAccessOptions): Promise<ClusterAccess> {
  const source = chooseSource(options.kubeconfig, process.env, homedir());
  if (source === 'service account') {
    if (options.context !== undefined)
      throw new OperationalError(
        errors.KubeconfigUnusable,
        `Context '${options.context}' was asked for, but there is no kubeconfig: only the pod's service account.`,
      );
    return inClusterAccess(process.env);
  }
  // Loaded on demand: a program in a pod then pays for neither the YAML parser nor the client library.
  const { kubeconfigAccess } = await import('./kubeconfig-access.ts');
  return kubeconfigAccess(source, options.context);
}

export interface KubeconfigSource {
  files: string[];
  /** As with kubectl: of the files in KUBECONFIG some may be missing, a file that was named may not. */
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
    `No cluster is named: there is no --kubeconfig, KUBECONFIG is not set, ${inHome} does not exist, and this is not a pod.`,
  );
}
