import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { endpointSlices, pods } from '@trimtab/kube/resource.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { isThere, type ProcessIdentity } from '@trimtab/local-cluster/kubelet/runtime/process-identity.ts';
import { psTable } from '@trimtab/local-cluster/kubelet/runtime/ps-table.ts';
import { localPortsAnnotation } from '@trimtab/local-cluster/objects/local-ports.ts';
import type { EndpointSlice } from '@trimtab/local-cluster/objects/service.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { describe, expect, test } from 'vitest';
import { demoChanges } from '../up/demo-changes.ts';
import { UpProcess } from './up-process.ts';

interface Self {
  pod: string;
  colour: string;
}

const patience = { timeoutMs: 60_000 };
/** Uses a new connection for each request, because the load balancer picks a pod per connection. */
async function self(address: string): Promise<Self> {
  const [response] = (await once(get(`${address}/self`, { agent: false }), 'response')) as [IncomingMessage];
  return (await json(response)) as Self;
}

/** Reports another platform to the program, which then uses `ps` instead of /proc and no mount namespaces. */
const elsewhere = {
  NODE_OPTIONS: `--import data:text/javascript,Object.defineProperty(process,'platform',{value:'freebsd'})`,
};
/** A process that has exited stays a zombie until init reaps it. */
const isAlive = (each: ProcessIdentity) => isThere(each, psTable) && !hasEnded(each.pid);
const hasEnded = (pid: number) =>
  spawnSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }).stdout.startsWith('Z');
const flags = ['--pod-addresses', 'shared'];

describe('npm start on a system with one loopback address, no mount namespaces and no /proc', {
  timeout: 300_000,
}, () => {
  test('shows the demo on three ports, rolling and rolling back, and survives kill -9', async () => {
    await using up = await UpProcess.inFolder(elsewhere);
    await up.start(...flags);
    expect(up.output).toMatch(/pods +volumes are under \$POD_ROOT.*\n +all pods share 127\.0\.0\.1.*\$PORT/);
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
    const told = items.map(({ metadata }) => metadata.annotations?.[localPortsAnnotation] ?? '');
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
    await up.prints(/demo 1\.0\.1: current after \d+ s/);
    expect((await self(demo)).colour).toBe('green');
    await keys.b();
    await up.prints(/demo 1\.0\.2: rolled back after \d+ s: .*colour 'blurple' unknown/);
    expect((await self(demo)).colour).toBe('green');
    client.close();
    const before = up.containers();
    await up.end('SIGKILL');
    expect(before.some(isAlive)).toBe(true);
    await up.start(...flags);
    await waitFor(
      'all of them to be started anew',
      async () => {
        const isOld = ({ pid }: { pid: number }) => before.some((each) => each.pid === pid);
        const processes = up.containers().filter((each) => isAlive(each) && !isOld(each));
        return processes.length === 3 ? { met: true } : { seen: JSON.stringify(processes) };
      },
      patience,
    );
    expect(before.filter(isAlive)).toEqual([]);
    const after = up.containers();
    expect(await up.end('SIGINT')).toBe(0);
    expect(after.filter(isAlive)).toEqual([]);
  });
});
