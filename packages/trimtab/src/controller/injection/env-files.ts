import type { KubeClient } from '@trimtab/kube/client.ts';

/** The first minor version of Kubernetes whose kubelets read environment variables from files by default. */
const firstMinor = 35;

/** Whether the cluster serves `env[].valueFrom.fileKeyRef`. */
export async function servesEnvFiles(client: Pick<KubeClient, 'raw'>, signal: AbortSignal): Promise<boolean> {
  const { major = '', minor = '' } = await client.raw<{ major?: string; minor?: string }>({
    method: 'GET',
    path: '/version',
    signal,
  });
  // Some providers append a plus sign.
  return Number.parseInt(major, 10) > 1 || Number.parseInt(minor, 10) >= firstMinor;
}
