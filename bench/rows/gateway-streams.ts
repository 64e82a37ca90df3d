import { fork } from 'node:child_process';
import path from 'node:path';
import { readBed } from '@trimtab/test-bed/engines/bed.ts';
import { connectKubernetes } from '@trimtab/test-bed/engines/kubernetes-engine.ts';
import { GatewayProcess } from '../../packages/trimtab/test/gateway/support/gateway-process.ts';
import { orderAll } from '../child-orders.ts';
import type { ClientOrder, ClientReport } from '../gateway-streams/client-program.ts';
import { streamConfig } from '../gateway-streams/stream-config.ts';
import { installCrd } from '../install-crd.ts';
import { percentile } from '../percentile.ts';
import { cpuSeconds, residentMb } from '../process-figures.ts';
import type { Row } from '../row.ts';

const programs = path.resolve(import.meta.dirname, '../gateway-streams');
const podCount = 100;
const clientProcesses = 2;
const pushes = 5;

/**
 * Budget: 10,000 watches receive a new version within 1 s (p99), with 400 MB of memory. Measured until the version is
 * received; pods acknowledge versions only when reload exists.
 */
export const gatewayStreams: Row = {
  name: 'gateway-streams',
  what: 'from a version that becomes current to all pods that watch it',
  async run(context) {
    const { count: streams = 10_000, bed, namespace, say } = context;
    await installCrd(await readBed(bed));
    const config = await streamConfig(context, podCount, pushes + 1);
    const perPod = Math.ceil(streams / podCount) + clientProcesses;
    const engine = await connectKubernetes(await readBed(bed));
    const gateway = await GatewayProcess.start(engine, {
      homeNamespace: namespace,
      flags: [
        '--namespace',
        namespace,
        '--max-streams-per-pod',
        String(perPod),
        '--requests-per-second',
        '0',
      ],
    });
    const clients = Array.from({ length: clientProcesses }, () =>
      fork(path.join(programs, 'client-program.ts')),
    );
    const all = (order: (n: number) => ClientOrder) =>
      orderAll<ClientOrder, ClientReport>(clients, order, context.signal);
    try {
      const { url: at, authority = '' } = await gateway.address(engine, namespace);
      const address = { port: Number(new URL(at).port), authority };
      say(`gateway-streams: opening ${streams} streams`);
      const began = performance.now();
      const url = `/api/v1/namespaces/${namespace}/configmaps/streamed/current?watch=true&allowWatchBookmarks=true`;
      await all((n) => ({
        do: 'open',
        ...address,
        path: url,
        tokens: config.tokens,
        streams: Math.floor((streams + n) / clientProcesses),
      }));
      const openSeconds = (performance.now() - began) / 1000;
      const latencies: number[] = [];
      const cpuBefore = cpuSeconds(gateway.pid);
      for (let n = 0; n < pushes; n++) {
        say(`gateway-streams: push ${n + 1} of ${pushes}`);
        const version = config.next();
        const receiving = all(() => ({ do: 'expect', version }));
        const { sentAt } = await config.push();
        const reports = await receiving;
        latencies.push(
          ...reports
            .flatMap((report) => ('received' in report ? report.received : []))
            .map((at) => at - sentAt),
        );
      }
      if (latencies.length !== streams * pushes)
        throw new Error(`only ${latencies.length} of ${streams * pushes} events were received`);
      return {
        ours: 'gateway',
        peer: 'Apollo, from its documentation',
        how: `${streams} watches of ${podCount} pods with TLS, opened by ${clientProcesses} other processes; 1 KiB per version, ${pushes} pushes; from just before the write of the status to the last byte received`,
        figures: [
          { what: 'streams', unit: '', ours: streams, peer: 10_000, budget: { atLeast: 10_000 } },
          { what: 'all open after', unit: 's', ours: openSeconds },
          { what: 'resident', unit: 'MB', ours: residentMb(gateway.pid), budget: { atMost: 400 } },
          {
            what: 'CPU time per push',
            unit: 'ms',
            ours: ((cpuSeconds(gateway.pid) - cpuBefore) / pushes) * 1000,
          },
          { what: 'push → received p50', unit: 'ms', ours: percentile(latencies, 50) },
          {
            what: 'push → received p99',
            unit: 'ms',
            ours: percentile(latencies, 99),
            peer: 1_000,
            budget: { atMost: 1_000 },
          },
          { what: 'longest', unit: 'ms', ours: percentile(latencies, 100) },
        ],
      };
    } finally {
      for (const child of clients) child.kill('SIGKILL');
      await gateway.stop();
      await engine.close();
    }
  },
};
