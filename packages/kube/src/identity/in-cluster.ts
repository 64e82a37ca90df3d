import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { ClusterAccess } from '../access.ts';
import { systemClock } from '../clock.ts';
import { errors, OperationalError } from '../errors.ts';
import { tokenFile } from './bearer-token.ts';
import { RotatingFile } from './rotating-file.ts';

/** Where every pod finds its service account. */
export const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The identity that Kubernetes gives to a pod: token and CA are files that the kubelet replaces. */
export async function inClusterAccess(
  env: NodeJS.ProcessEnv,
  folder = serviceAccountFolder,
): Promise<ClusterAccess> {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = env['KUBERNETES_SERVICE_PORT_HTTPS'] ?? env['KUBERNETES_SERVICE_PORT'] ?? '443';
  const token = tokenFile(join(folder, 'token'));
  const ca = new RotatingFile(join(folder, 'ca.crt'), 0, systemClock);
  const namespace = await readFile(join(folder, 'namespace'), 'utf8').catch(() => 'default');
  await ca.read().catch((cause: unknown) => {
    throw new OperationalError(
      errors.KubeconfigUnusable,
      `The pod's service account has no readable ${ca.path}: check automountServiceAccountToken.`,
      { cause },
    );
  });
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    namespace: namespace.trim(),
    tls: async () => ({ ca: await ca.read() }),
    headers: async () => (await token.current()).headers,
    invalidate: () => token.invalidate(),
  };
}
