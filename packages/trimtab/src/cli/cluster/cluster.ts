import type { KubeClient } from '@trimtab/kube/client.ts';
import { type LoadAccessOptions, loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { readUsername } from '../../versions/reads/read-username.ts';

/** The cluster that a command talks to, as the user of the kubeconfig. */
export interface Cluster {
  client: KubeClient;
  /** Namespace of --namespace or of the kubeconfig context. */
  namespace: string;
  server: string;
  /** The name of the user, as the API server reports it. */
  username(): Promise<string>;
  close(): void;
}

/** The field manager of all writes of the command line. */
export const fieldManager = 'trimtab';

export async function openCluster(
  access: LoadAccessOptions,
  { namespace, requestTimeoutMs }: { namespace: string | undefined; requestTimeoutMs: number },
  env: Readonly<Record<string, string | undefined>>,
): Promise<Cluster> {
  const loaded = await loadAccess(access, env);
  const client = httpClient({
    access: loaded,
    userAgent: 'trimtab-cli',
    ...(requestTimeoutMs > 0 && { timeoutMs: requestTimeoutMs }),
  });
  let asked: Promise<string> | undefined;
  return {
    client,
    namespace: namespace ?? loaded.namespace,
    server: loaded.server,
    username() {
      asked ??= readUsername(client);
      return asked;
    },
    close: () => client.close(),
  };
}
