import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { ClusterAccess } from '../access.ts';
import { systemClock } from '../clock.ts';
import { errors, OperationalError } from '../errors.ts';
import { tokenFile } from './bearer-token.ts';
import type { AccessEntries } from './entry-access.ts';
import { RotatingFile } from './rotating-file.ts';

/** Mount path of the service account in every pod. */
export const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Access with the pod's service account. The kubelet replaces the token and CA files. */
export async function inClusterAccess(
  env: Readonly<Record<string, string | undefined>>,
  folder = serviceAccountFolder,
): Promise<ClusterAccess> {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = env['KUBERNETES_SERVICE_PORT_HTTPS'] ?? env['KUBERNETES_SERVICE_PORT'] ?? '443';
  const token = tokenFile(join(folder, 'token'));
  const ca = new RotatingFile(join(folder, 'ca.crt'), 0, systemClock);
  await ca.read().catch((cause: unknown) => {
    throw new OperationalError(
      errors.KubeconfigUnusable,
      `The CA file ${ca.path} of the pod's service account cannot be read. Check automountServiceAccountToken.`,
      { cause },
    );
  });
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    namespace: await podNamespace(folder),
    tls: async () => ({ ca: await ca.read() }),
    headers: async () => (await token.current()).headers,
    invalidate: () => token.invalidate(),
  };
}

/** The entries of a kubeconfig that would describe `pod`, so that flags can override them. */
export function inClusterEntries(pod: ClusterAccess, folder = serviceAccountFolder): AccessEntries {
  return {
    cluster: {
      name: 'in-cluster',
      cluster: { server: pod.server, 'certificate-authority': join(folder, 'ca.crt') },
    },
    user: { name: 'service account', user: { tokenFile: join(folder, 'token') } },
    namespace: pod.namespace,
    origin: 'the pod',
  };
}

/** Namespace of the pod's service account; `default` outside a pod. */
export async function podNamespace(folder = serviceAccountFolder): Promise<string> {
  const namespace = await readFile(join(folder, 'namespace'), 'utf8').catch(() => 'default');
  return namespace.trim();
}
