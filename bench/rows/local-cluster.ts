import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { deployments, pods } from '@trimtab/kube/resource.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { Reflector } from '@trimtab/kube/watch/reflector.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Pod } from '@trimtab/local-cluster/objects/pod.ts';
import type { Deployment } from '@trimtab/local-cluster/objects/workloads.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { UpProcess } from '../../demo/test/up-process.ts';
import { cpuSeconds, residentMb } from '../process-figures.ts';
import type { Row } from '../row.ts';

const manyPods = 50;
const updatedPods = 10;
const idleSeconds = 30;
const patience = { timeoutMs: 120_000, everyMs: 20 };

/**
 * Budgets: demo Ready within 3 s of the start, 50 pods Ready within 5 s, 100 ms per pod of a rolling update, 200 MB and
 * 2 % of a core with the demo. The processes of pods are not counted, only the process of the cluster.
 */
export const localCluster: Row = {
  name: 'local-cluster',
  what: '`npm start`: time until pods are Ready, and memory and CPU of the cluster',
  async run({ signal, say }) {
    // The first start strips types from the sources and fills the compile cache; an installation does so once.
    await using up = await UpProcess.inFolder();
    await up.start('--no-demo');
    await up.end('SIGTERM');
    say('local-cluster: starting the demo');
    const began = performance.now();
    await up.start('--fresh');
    const bannerMs = performance.now() - began;
    const client = httpClient({ access: await loadAccess({ kubeconfig: up.kubeconfig }), log: silentLogger });
    try {
      await ready(client, 'demo', 3);
      const demoMs = performance.now() - began;
      const residentWithDemo = residentMb(up.pid);
      const usedBefore = cpuSeconds(up.pid);
      await delay(idleSeconds * 1000, undefined, { signal });
      const idlePercent = ((cpuSeconds(up.pid) - usedBefore) / idleSeconds) * 100;
      say(`local-cluster: starting ${manyPods} pods`);
      const manyMs = await timed(async () => {
        await client.create(deployments, sleeping('many', manyPods));
        await ready(client, 'many', manyPods);
      });
      say(`local-cluster: rolling update of ${updatedPods} pods`);
      await client.create(deployments, sleeping('rolls', updatedPods));
      await ready(client, 'rolls', updatedPods);
      const programMs = await ownStartMs();
      const rollMs = await timed(() => roll(client, signal));
      return {
        ours: 'npm start',
        peer: '',
        how: '`npm start` as a separate process, with its state on the disk; trivial pods run `sleep`, with one surge pod at a time; the start-up of a program is `sleep 0` from fork to exit, median of 20; resident and idle exclude the processes of pods',
        figures: [
          { what: 'start → banner printed', unit: 's', ours: bannerMs / 1000 },
          { what: 'start → demo Ready (3 pods)', unit: 's', ours: demoMs / 1000, budget: { atMost: 3 } },
          { what: `${manyPods} trivial pods Ready`, unit: 's', ours: manyMs / 1000, budget: { atMost: 5 } },
          {
            what: `rolling update of ${updatedPods}, per pod, above the start-up of its program`,
            unit: 'ms',
            ours: rollMs / updatedPods - programMs,
            budget: { atMost: 100 },
          },
          { what: 'start-up of a program', unit: 'ms', ours: programMs },
          { what: 'resident with the demo', unit: 'MB', ours: residentWithDemo, budget: { atMost: 200 } },
          { what: `resident with ${manyPods + updatedPods + 3} pods`, unit: 'MB', ours: residentMb(up.pid) },
          {
            what: `idle with the demo, over ${idleSeconds} s`,
            unit: '% of a core',
            ours: idlePercent,
            budget: { atMost: 2 },
          },
        ],
      };
    } finally {
      client.close();
    }
  },
};

async function timed(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await run();
  return performance.now() - began;
}

function sleeping(name: string, replicas: number): KubeObject & { spec: object } {
  const labels = { app: name };
  const container = { name: 'app', image: 'busybox', command: ['sleep', '3600'] };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: { metadata: { labels }, spec: { terminationGracePeriodSeconds: 1, containers: [container] } },
    },
  };
}

async function ready(client: KubeClient, app: string, count: number): Promise<void> {
  await waitFor(
    `${count} pods of ${app} to be Ready`,
    async () => {
      const { items } = await client.list<Pod>(pods, { namespace: 'default', labelSelector: `app=${app}` });
      const there = items.filter(({ status }) =>
        status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
      );
      return there.length >= count ? { met: true } : { seen: `${there.length}` };
    },
    patience,
  );
}

/** Follows the update by a watch, as `kubectl rollout status` does, because polling would add load. */
async function roll(client: KubeClient, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const reflector = new Reflector<Deployment>({
    name: 'bench-rolls',
    client,
    resource: deployments,
    namespace: 'default',
    fieldSelector: 'metadata.name=rolls',
    projection: 'full',
    transform: (object) => object as Deployment,
    indexes: {},
    log: silentLogger,
  });
  const watching = reflector.run(AbortSignal.any([over.signal, signal]));
  try {
    await reflector.waitForSync(signal);
    const body = { spec: { template: { metadata: { annotations: { note: 'two' } } } } };
    const where = { namespace: 'default', name: 'rolls' };
    const { metadata } = await client.patch<Deployment>(deployments, where, { type: 'merge', body });
    await new Promise<void>((resolve, reject) => {
      const tooLate = AbortSignal.any([signal, AbortSignal.timeout(patience.timeoutMs)]);
      tooLate.addEventListener('abort', () => reject(tooLate.reason), { once: true });
      reflector.subscribe(({ after }) => {
        if (after !== undefined && isUpdated(after, metadata.generation ?? 0)) resolve();
      });
    });
  } finally {
    over.abort(new DOMException('the update has finished', 'AbortError'));
    await watching;
  }
}

function isUpdated({ status }: Deployment, generation: number): boolean {
  const { updatedReplicas, availableReplicas, replicas, observedGeneration = 0 } = status ?? {};
  return (
    observedGeneration >= generation &&
    [updatedReplicas, availableReplicas, replicas].every((each) => each === updatedPods)
  );
}

async function ownStartMs(): Promise<number> {
  const took: number[] = [];
  for (let n = 0; n < 20; n++)
    took.push(await timed(() => once(spawn('sleep', ['0'], { stdio: 'ignore' }), 'exit')));
  return took.sort((a, b) => a - b)[took.length / 2] ?? 0;
}
