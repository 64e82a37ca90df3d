import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { namespaces } from '@trimtab/kube/resource.ts';
import { readBed } from '@trimtab/test-bed/engines/bed.ts';
import type { Budget } from '../budget.ts';
import { type LoadFigures, underLoad } from '../local-api-server/load.ts';
import { startLocalServer } from '../local-api-server/server-process.ts';
import { percentile } from '../percentile.ts';
import type { BenchContext, Figure, Row } from '../row.ts';

const usualObjects = 10_000;
const idleSeconds = 60;

/**
 * Budgets: ready within 1 s, 2,000 writes/s, 5,000 GETs/s, an event to 100 watchers within 50 ms (p99), a list of 10,000
 * objects within 500 ms, 150 MB when idle. The kube-apiserver of the bed gets the same load.
 */
export const localApiServer: Row = {
  name: 'local-api-server',
  what: 'throughput and latency of the local API server under load, and its memory when idle',
  async run(context) {
    const { count: objects = usualObjects, bed, client, namespace, signal, say } = context;
    const tell = (server: string) => (text: string) => say(`local-api-server: ${server}: ${text}`);
    const local = await measureLocal(context, objects, tell('local'));
    const { kubeconfig } = await readBed(bed);
    const access = await loadAccess({ kubeconfig });
    const peer = await underLoad({ access, client, namespace }, objects, signal, tell('kube-apiserver'));
    const both = (
      what: string,
      unit: string,
      of: (figures: LoadFigures) => number,
      budget?: Budget,
    ): Figure => ({ what, unit, ours: of(local), peer: of(peer), ...(budget && { budget }) });
    const alone = (what: string, unit: string, ours: number, budget?: Budget): Figure => ({
      what,
      unit,
      ours,
      ...(budget && { budget }),
    });
    return {
      ours: 'local API server',
      peer: 'kube-apiserver and etcd',
      how: `\`local-cluster serve\` with its state on the disk; ${objects} ConfigMaps of 1 KB from 16 clients in 2 other processes, TLS; clients and server share the cores of the machine, so rates depend on its load; rates per CPU second do not`,
      figures: [
        alone('start → ready', 's', local.readyMs / 1000, { atMost: 1 }),
        both('writes', '/s', (of) => of.writesPerSecond, { atLeast: 2_000 }),
        alone('writes per CPU second', '/s', local.writesPerCpuSecond),
        both('gets', '/s', (of) => of.getsPerSecond, { atLeast: 5_000 }),
        alone('gets per CPU second', '/s', local.getsPerCpuSecond),
        both('event to 100 watchers p50', 'ms', (of) => percentile(of.eventMs, 50)),
        both('event to 100 watchers p99', 'ms', (of) => percentile(of.eventMs, 99), { atMost: 50 }),
        both(`list of ${objects}, median`, 'ms', (of) => percentile(of.listMs, 50), { atMost: 500 }),
        both(`list of ${objects}, longest`, 'ms', (of) => percentile(of.listMs, 100)),
        alone(`resident, idle ${idleSeconds} s after the start`, 'MB', local.idleMb, { atMost: 150 }),
        alone('resident after the load', 'MB', local.afterMb),
        alone(`resident, idle ${idleSeconds} s after the load`, 'MB', local.idleAfterMb),
      ],
    };
  },
};

async function measureLocal({ signal }: BenchContext, objects: number, say: (text: string) => void) {
  // The first start strips types from the sources and fills the compile cache; an installation does so once.
  await (await startLocalServer(signal)).close();
  const server = await startLocalServer(signal);
  try {
    say(`idle for ${idleSeconds} s`);
    const idleMb = await server.idleMb(idleSeconds);
    const namespace = 'bench';
    await server.client.create(namespaces, { metadata: { name: namespace } });
    const { access, client, cpuSeconds } = server;
    const figures = await underLoad({ access, client, namespace, cpuSeconds }, objects, signal, say);
    const afterMb = server.residentMb();
    say(`idle for ${idleSeconds} s`);
    return {
      ...figures,
      readyMs: server.readyMs,
      idleMb,
      afterMb,
      idleAfterMb: await server.idleMb(idleSeconds),
    };
  } finally {
    await server.close();
  }
}
