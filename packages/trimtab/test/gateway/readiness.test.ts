import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { kubeconfigText } from '@trimtab/test-bed/fakes/kubeconfig-text.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect, test } from 'vitest';
import { GatewayProcess } from './support/gateway-process.ts';

async function apiServer(port = 0): Promise<Server> {
  const server = createServer((_, response) => void response.writeHead(403).end('{}'));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

test('a gateway is ready while it reaches the API server, and alive in any case', async () => {
  const server = await apiServer();
  const { port } = server.address() as AddressInfo;
  const folder = await mkdtemp(path.join(tmpdir(), 'trimtab-readiness-'));
  const kubeconfig = path.join(folder, 'kubeconfig');
  const access = {
    ...{ server: `http://127.0.0.1:${port}`, namespace: 'default' },
    ...{ tls: async () => ({}), headers: async () => ({ authorization: 'Bearer ours' }) },
  };
  await writeFile(kubeconfig, await kubeconfigText(access));
  const gateway = await GatewayProcess.startWith(['--no-tls', '--kubeconfig', kubeconfig]);
  const code = async (check: string) => (await fetch(`${gateway.healthUrl}/${check}`)).status;
  const becomes = (expected: number) =>
    waitFor(`readyz is ${expected}`, async () => {
      const seen = await code('readyz');
      return seen === expected ? { met: true } : { seen: String(seen) };
    });
  try {
    await becomes(200);
    server.closeAllConnections();
    server.close();
    await becomes(503);
    expect(await (await fetch(`${gateway.healthUrl}/readyz`)).text()).toContain(
      '[-]api-server failed: the API server cannot be reached',
    );
    expect(await code('livez')).toBe(200);
    const again = await apiServer(port);
    await becomes(200);
    again.closeAllConnections();
    again.close();
  } finally {
    await gateway.stop();
    await rm(folder, { recursive: true });
  }
}, 90_000);
