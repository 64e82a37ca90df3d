import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setInterval as every } from 'node:timers/promises';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { simulatePods } from '@trimtab/test-bed/simulated-pods/pod-simulator.ts';
import { startLocalCluster } from '../../src/local-cluster.ts';
import { focusOn } from './focus.ts';
import type { Shard } from './shards.ts';

export interface RunOptions {
  /** Kubernetes' end-to-end program. */
  program: string;
  kubectl: string;
  shard: Shard;
  /** Receives the state of the cluster, the report and the output of the program. */
  folder: string;
  signal: AbortSignal;
}

/** Ends a run that hangs; longer than all specs of a shard take. */
const timeout = '8m';

/** Runs specs in sequence on a separate local cluster with simulated pods. Returns Ginkgo's report. */
export async function runSpecs({ program, kubectl, shard, folder, signal }: RunOptions): Promise<string> {
  const { names, historyMs } = shard;
  const cluster = await startLocalCluster({
    stateDir: join(folder, 'state'),
    port: 0,
    log: silentLogger,
    ...(historyMs !== undefined && { historyMs }),
  });
  const access = await loadAccess({ kubeconfig: cluster.kubeconfigFile });
  const client = httpClient({ access, log: silentLogger });
  const pods = await simulatePods(client);
  const done = new AbortController();
  const busy = historyMs === undefined ? undefined : keepBusy(client, done.signal);
  const report = join(folder, 'report.json');
  const output = join(folder, 'output.log');
  try {
    const code = await run(
      program,
      argumentsFor(cluster.kubeconfigFile, kubectl, names, report),
      output,
      signal,
    );
    if (existsSync(report)) return readFileSync(report, 'utf8');
    const tail = readFileSync(output, 'utf8').split('\n').slice(-20).join('\n');
    throw new Error(`${program} exited with ${code} without writing a report. Its last output:\n${tail}`);
  } finally {
    done.abort();
    await busy;
    await pods.close();
    client.close();
    await cluster.close();
  }
}

function argumentsFor(
  kubeconfig: string,
  kubectl: string,
  names: readonly string[],
  report: string,
): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--kubectl-path=${kubectl}`,
    // A provider without cloud and SSH.
    '--provider=skeleton',
    // The cluster has no nodes and no system pods to wait for, and no logs to collect after a failure.
    ...['--allowed-not-ready-nodes=-1', '--num-nodes=0', '--dump-logs-on-failure=false'],
    ...['--ginkgo.no-color', '--ginkgo.silence-skips', '--ginkgo.succinct', `--ginkgo.timeout=${timeout}`],
    `--ginkgo.focus=${focusOn(names)}`,
    `--ginkgo.json-report=${report}`,
  ];
}

function run(program: string, args: readonly string[], output: string, signal: AbortSignal): Promise<string> {
  const file = openSync(output, 'w');
  const child = spawn(program, args, { stdio: ['ignore', file, file], signal, killSignal: 'SIGKILL' });
  return new Promise<string>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, killedBy) => resolve(killedBy ?? `code ${code}`));
  }).finally(() => closeSync(file));
}

const busyEveryMs = 500;

/**
 * Writes an object periodically until the signal aborts. The latest revision is never compacted; in a complete cluster
 * the renewal of Leases keeps adding revisions, and this write takes its place.
 */
async function keepBusy(client: KubeClient, signal: AbortSignal): Promise<void> {
  const where = { namespace: 'kube-system', name: 'busy' };
  try {
    await client.create(configMaps, { metadata: where });
    let beat = 0;
    for await (const _ of every(busyEveryMs, undefined, { signal })) {
      beat += 1;
      await client.patch(configMaps, where, { type: 'merge', body: { data: { beat: String(beat) } } });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
