import type { ClusterAccess } from '../kube/access.ts';
import { httpClient } from '../kube/transport/http-client.ts';
import { type ApiServer, type ApiServerOptions, startApiServer } from './apiserver/server.ts';
import { startNamespaceController } from './controllers/namespaces/namespace-controller.ts';

/** The API server with the controllers that every cluster has; without them namespaces are neither furnished nor emptied. */
export async function startLocalCluster(options: ApiServerOptions): Promise<ApiServer> {
  const server = await startApiServer(options);
  const { log } = options;
  const client = httpClient({ access: accessTo(server), log, userAgent: 'trimtab-local-controllers' });
  const controller = startNamespaceController({ client, authority: server.authority, log });
  await controller.ready;
  return {
    ...server,
    async close(graceMs) {
      await controller.close();
      client.close();
      await server.close(graceMs);
    },
  };
}

function accessTo({ url, authority, adminToken }: ApiServer): ClusterAccess {
  return {
    server: url,
    namespace: 'default',
    tls: async () => ({ ca: authority }),
    headers: async () => ({ authorization: `Bearer ${adminToken}` }),
  };
}
