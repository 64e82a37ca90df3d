import type { ClusterAccess } from '../kube/access.ts';
import { httpClient } from '../kube/transport/http-client.ts';
import { type ApiServer, type ApiServerOptions, startApiServer } from './apiserver/server.ts';
import { builtInControllers } from './controllers/built-in-controllers.ts';
import { startControllers } from './controllers/host/start-controllers.ts';
import { startNamespaceController } from './controllers/namespaces/namespace-controller.ts';

/** The API server with the controllers that every cluster has. */
export async function startLocalCluster(options: ApiServerOptions): Promise<ApiServer> {
  const server = await startApiServer(options);
  const { log } = options;
  const client = httpClient({ access: accessTo(server), log, userAgent: 'trimtab-local-controllers' });
  const namespaces = startNamespaceController({ client, authority: server.authority, log });
  const controllers = startControllers({ client, log }, builtInControllers);
  await Promise.all([namespaces.ready, controllers.ready]);
  return {
    ...server,
    async close(graceMs) {
      await Promise.all([namespaces.close(), controllers.close()]);
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
