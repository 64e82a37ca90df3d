import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import {
  type ApiServer,
  type ApiServerOptions,
  startApiServer,
} from '@trimtab/local-cluster/apiserver/server.ts';

export interface LocalServer {
  server: ApiServer;
  stateDir: string;
  /** The administrator's. */
  client: KubeClient & { close(): void };
  access: ClusterAccess;
  /** Ends the server and starts another one on what it left. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

type Options = Pick<ApiServerOptions, 'clock' | 'requestTimeoutMs' | 'idleTimeoutMs'>;

/** An API server of the test's own in this process, on a folder that goes with it. */
export async function startLocalServer(options: Options = {}): Promise<LocalServer> {
  const stateDir = await mkdtemp(join(tmpdir(), 'trimtab-local-'));
  const start = () => startApiServer({ stateDir, port: 0, log: silentLogger, ...options });
  const local: LocalServer = {
    ...connect(await start()),
    stateDir,
    async restart() {
      await end();
      Object.assign(local, connect(await start()));
    },
    async close() {
      await end();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
  async function end(): Promise<void> {
    local.client.close();
    await local.server.close();
  }
  return local;
}

function connect(server: ApiServer) {
  const access: ClusterAccess = {
    server: server.url,
    namespace: 'default',
    tls: async () => ({ ca: server.authority }),
    headers: async () => ({ authorization: `Bearer ${server.adminToken}` }),
  };
  return { server, access, client: httpClient({ access, log: silentLogger }) };
}
