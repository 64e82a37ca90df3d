import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import type { KubeObject } from '../../src/api/wire.ts';
import { demoChanges } from '../../src/bin/up/demo-changes.ts';
import { loadAccess } from '../../src/kube/identity/load-access.ts';
import { endpointSlices, pods } from '../../src/kube/resource.ts';
import { httpClient } from '../../src/kube/transport/http-client.ts';
import type { EndpointSlice } from '../../src/local/objects/service.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { UpProcess } from '../support/up-process.ts';
import { waitFor } from '../support/wait-for.ts';

interface Self {
  pod: string;
  colour: string;
}

const patience = { timeoutMs: 60_000 };
/** Each time by a connection of its own: a balancer has its say once for each. */
async function self(address: string): Promise<Self> {
  const [response] = (await once(get(`${address}/self`, { agent: false }), 'response')) as [IncomingMessage];
  return (await json(response)) as Self;
}

describe('npm start as on a system with one loopback address and no mount namespaces', {
  timeout: 180_000,
}, () => {
  test('shows the demo on three ports, rolling and rolling back', async () => {
    await using up = await UpProcess.inFolder();
    await up.start('--pod-addresses', 'shared', '--mounts', 'folders');
    expect(up.output).toMatch(/pods +volumes are under \$POD_ROOT.*\n +all have 127\.0\.0\.1.*\$PORT/);
    const client = httpClient({ access: await loadAccess({ kubeconfig: up.kubeconfig }), log: silentLogger });
    const demo = /demo +(http:\S+)/.exec(up.output)?.[1] ?? '';

    const ready = await waitFor(
      'three endpoints to be ready',
      async () => {
        const slices = await client.list<EndpointSlice>(endpointSlices, { namespace: 'default' });
        const found = slices.items.flatMap(({ ports, endpoints }) =>
          (endpoints ?? []).flatMap(({ conditions, addresses }) =>
            conditions?.ready ? [`http://${addresses[0]}:${ports?.[0]?.port}`] : [],
          ),
        );
        return found.length === 3 ? { met: found } : { seen: found.join() };
      },
      patience,
    );
    const { items } = await client.list<KubeObject>(pods, { namespace: 'default' });
    const told = items.map(({ metadata }) => metadata.annotations?.[annotations.localPorts] ?? '');
    expect(new Set(told).size).toBe(3);
    const names = await Promise.all(ready.map(async (address) => (await self(address)).pod));
    expect(names.sort()).toEqual(items.map(({ metadata }) => metadata.name).sort());
    const inTurn = new Set<string>();
    await waitFor(
      'the Service to lead to all of them',
      async () => {
        inTurn.add((await self(demo)).pod);
        return inTurn.size === 3 ? { met: true } : { seen: [...inTurn].join() };
      },
      patience,
    );

    const keys = demoChanges(client);
    await keys.g();
    await up.prints(/demo 1\.0\.1 is current in \d+ s/);
    expect((await self(demo)).colour).toBe('green');
    await keys.b();
    await up.prints(/demo 1\.0\.2 rolled back in \d+ s: .*colour 'blurple' unknown/);
    expect((await self(demo)).colour).toBe('green');
    client.close();
    expect(await up.end('SIGINT')).toBe(0);
  });
});
