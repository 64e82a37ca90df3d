import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterAccess } from '@trimtab/kube/access.ts';
import { systemClock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { type ApiServer, type ApiServerOptions, startApiServer } from './apiserver/server.ts';
import { builtInControllers } from './controllers/built-in-controllers.ts';
import type { ControllerFactory } from './controllers/host/local-controller.ts';
import { startControllers } from './controllers/host/start-controllers.ts';
import { startNamespaceController } from './controllers/namespaces/namespace-controller.ts';
import { type LocalNode, type NodeOptions, startLocalNode } from './local-node.ts';
import { ServiceProxy } from './service-proxy/service-proxy.ts';

export interface LocalClusterOptions extends Omit<ApiServerOptions, 'stateDir' | 'port' | 'log'> {
  /** State folder. Defaults to a temporary folder that is removed when the cluster is closed. */
  stateDir?: string;
  /** Defaults to a free port. */
  port?: number;
  /** Defaults to a silent logger. */
  log?: Logger;
  /** Connects the controllers to the API server in memory instead of over the network. */
  inProcess?: boolean;
  /** Serves Services of type LoadBalancer on ports of this machine. By default no load balancer is provided. */
  loadBalancers?: boolean;
  /** Adds a node whose pods are processes of this machine. Without a node, pods stay Pending. */
  node?: NodeOptions;
}

export interface LocalCluster extends ApiServer {
  node?: LocalNode;
}

/** Starts the API server, the built-in controllers, and optionally a node. */
export async function startLocalCluster(options: LocalClusterOptions = {}): Promise<LocalCluster> {
  if (options.stateDir !== undefined) return startIn(options.stateDir, options);
  const folder = await mkdtemp(join(tmpdir(), 'local-cluster-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const cluster = await startIn(folder, options);
    return {
      ...cluster,
      async close(graceMs) {
        await cluster.close(graceMs);
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function startIn(stateDir: string, options: LocalClusterOptions): Promise<LocalCluster> {
  const { log = silentLogger, port = 0, clock = systemClock } = options;
  const server = await startApiServer({ ...options, stateDir, port, log });
  const clients: ReturnType<typeof httpClient>[] = [];
  const clientAs = (account?: string) => {
    const client = httpClient({
      access: { ...accessTo(server, account), ...(options.inProcess && { connect: server.connect }) },
      log,
      clock,
      userAgent: 'local-cluster-controllers',
    });
    clients.push(client);
    return client;
  };
  const namespaces = startNamespaceController({
    client: clientAs('namespace-controller'),
    authority: server.authority,
    log,
    clock,
  });
  const controllers = startControllers(
    { client: clientAs(), clientAs, log, clock },
    { ...builtInControllers, ...(options.loadBalancers && serviceProxy) },
  );
  let node: LocalNode | undefined;
  const close = async (graceMs?: number) => {
    await node?.close();
    await Promise.all([namespaces.close(), controllers.close()]);
    for (const client of clients) client.close();
    await server.close(graceMs);
  };
  try {
    await Promise.all([namespaces.ready, controllers.ready]);
    node = options.node && (await startLocalNode(server, clientAs(), { ...options.node, stateDir, log }));
  } catch (error) {
    await close();
    throw error;
  }
  return { ...server, ...(node && { node }), close };
}

const serviceProxy: Record<string, ControllerFactory> = {
  'service-controller': (context) => new ServiceProxy(context),
};

/** Access as the administrator, or as a kube-system service account of a built-in controller. */
export function accessTo({ url, authority, adminToken }: ApiServer, account?: string): ClusterAccess {
  // Admission rules and the audit log identify controllers by these names. The group replaces individual roles.
  const as =
    account === undefined
      ? {}
      : {
          'impersonate-user': `system:serviceaccount:kube-system:${account}`,
          'impersonate-group': 'system:masters',
        };
  return {
    server: url,
    namespace: 'default',
    tls: async () => ({ ca: authority }),
    headers: async () => ({ authorization: `Bearer ${adminToken}`, ...as }),
  };
}
