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
  /** The administrator's client. */
  client: KubeClient & { close(): void };
  access: ClusterAccess;
  /** Stops the server and starts another one on the same state. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

type Options = Pick<ApiServerOptions, 'clock' | 'requestTimeoutMs' | 'idleTimeoutMs'>;

/** Starts an API server in this process for one test. `close` removes its state folder. */
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
