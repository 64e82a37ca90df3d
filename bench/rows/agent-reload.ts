import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { configMaps } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { type BenchAgent, startAgent, startAgentSketch } from '../bench-agent.ts';
import { fileContent } from '../file-content.ts';
import { percentile } from '../percentile.ts';
import { privateMb } from '../process-figures.ts';
import type { BenchContext, Figure, Row } from '../row.ts';
import { settle } from '../settle.ts';

const usualEdits = 300;
const warmUp = 30;
const idleSeconds = 30;

/**
 * Budgets: a file is written within 6 ms (p50) of the edit, the application is told within 8 ms (p50) and 20 ms (p99); 30 MB
 * of resident memory, 0.1 % of a core when idle; the first files 100 ms after the start.
 */
export const agentReload: Row = {
  name: 'agent-reload',
  what: 'from an edit of a ConfigMap to the file and to the reload of the application; memory and CPU of the agent',
  async run(context) {
    const { client, namespace, count: edits = usualEdits } = context;
    await client.create(configMaps, {
      metadata: { namespace, name: 'app' },
      data: { 'app.conf': 'start', 'other.conf': 'x'.repeat(4_096) },
    } as KubeObject);
    const peer = await measure(context, 'sketch', startAgentSketch, edits);
    const ours = await measure(context, 'agent', startAgent, edits);
    const figure = (what: string, of: (taken: Taken) => number, unit: string, atMost?: number): Figure => ({
      what,
      unit,
      ours: of(ours),
      peer: of(peer),
      ...(atMost !== undefined && { budget: { atMost } }),
    });
    return {
      ours: 'agent',
      peer: 'sketch',
      how: `PATCH of a ConfigMap of 4 KB sent → new file observed by inotify, and → POST received by the application; ${edits} edits one by one. The sketch is a Node process with a bare watch that writes the changed file and sends the POST. Resident memory includes the pages of the binary, which all agents of a node share; private memory does not. k8s-sidecar took p50 7.0 ms to the file and 8.8 ms to the request, p99 21 ms, and 70 MB`,
      figures: [
        figure('edit → file, p50', ({ file }) => percentile(file, 50), 'ms', 6),
        figure('edit → file, p99', ({ file }) => percentile(file, 99), 'ms'),
        figure('edit → application told, p50', ({ told }) => percentile(told, 50), 'ms', 8),
        figure('edit → application told, p99', ({ told }) => percentile(told, 99), 'ms', 20),
        figure('start → first files', ({ startMs }) => startMs, 'ms', 100),
        figure('resident', ({ residentMb }) => residentMb, 'MB', 30),
        figure('private', ({ privateMb: mb }) => mb, 'MB'),
        figure('idle', ({ idlePercent }) => idlePercent, '% of a core', 0.1),
        { what: 'binary', unit: 'MB', ours: ours.binaryMb },
      ],
    };
  },
};

interface Taken {
  file: number[];
  told: number[];
  startMs: number;
  residentMb: number;
  privateMb: number;
  idlePercent: number;
  binaryMb: number;
}

type Start = (context: BenchContext, root: string, reloadUrl: string) => Promise<BenchAgent>;

async function measure(context: BenchContext, name: string, start: Start, edits: number): Promise<Taken> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-agent-'));
  const root = join(folder, 'root');
  const app = await application();
  const agent = await start(context, root, app.url);
  const content = fileContent(root, 'app.conf');
  const taken = { file: [] as number[], told: [] as number[] };
  try {
    for (let n = -warmUp; n < edits; n++) {
      if (n % 100 === 0) context.say(`agent-reload: ${name}, ${Math.max(0, n)} of ${edits} edits`);
      const value = `${name} ${n}`;
      const written = content.becomes(value);
      const told = app.isTold();
      const began = performance.now();
      const { namespace, signal } = context;
      const patch = { type: 'merge', body: { data: { 'app.conf': value } } } as const;
      const where = { namespace, name: 'app' };
      const [fileAt, toldAt] = await Promise.all([
        written,
        told,
        context.client.patch(configMaps, where, patch, { signal }),
      ]);
      if (n < 0) continue;
      taken.file.push(fileAt - began);
      taken.told.push(toldAt - began);
    }
    // The garbage of the edits is collected first.
    await settle(agent, 3);
    context.say(`agent-reload: ${name} is idle for ${idleSeconds} s`);
    const before = agent.cpuSeconds();
    await delay(idleSeconds * 1_000);
    return {
      ...taken,
      startMs: agent.readySeconds * 1_000,
      residentMb: agent.residentMb(),
      privateMb: privateMb(agent.pid),
      idlePercent: ((agent.cpuSeconds() - before) / idleSeconds) * 100,
      binaryMb: agent.binaryMb,
    };
  } finally {
    content.close();
    await agent.stop();
    app.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An application that reloads over HTTP. */
async function application() {
  let onTold = () => {};
  const server = createServer((_, response) => {
    onTold();
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/-/reload`,
    /** Resolves with the time of the next request. */
    isTold: () =>
      new Promise<number>((resolve) => {
        onTold = () => resolve(performance.now());
      }),
    close: () => void server.close(),
  };
}
