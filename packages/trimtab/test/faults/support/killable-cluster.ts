import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@trimtab/kube/http/free-port.ts';
import { readRecord } from '@trimtab/test-bed/cluster/process/daemon.ts';
import { signal } from '@trimtab/test-bed/cluster/process/identity.ts';
import { bedFolder } from '@trimtab/test-bed/cluster/state/bed-folder.ts';
import { requireState } from '@trimtab/test-bed/cluster/state/bed-state.ts';
import { cluster } from '@trimtab/test-bed/cluster/testing/cluster-command.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { findKubectl } from '@trimtab/test-bed/engines/find-kubectl.ts';
import { connectKubernetes } from '@trimtab/test-bed/engines/kubernetes-engine.ts';
import { LocalClusterProcess } from '@trimtab/test-bed/engines/local-cluster-process.ts';
import { simulatePods } from '@trimtab/test-bed/simulated-pods/pod-simulator.ts';

/** A cluster for one test only, because concurrent tests need their API server. */
interface KillableCluster extends AsyncDisposable {
  engine: Engine;
  /** Kills the API server with SIGKILL and starts it again on the same storage. */
  restartApiServer(): Promise<void>;
}

/** Starts a cluster of the type that TRIMTAB_ENGINE selects, as `currentEngine` does. */
export function killableCluster(): Promise<KillableCluster> {
  return process.env['TRIMTAB_ENGINE'] === 'local' ? localOne() : kubernetesOne(`faults-${process.pid}`);
}

async function kubernetesOne(name: string): Promise<KillableCluster> {
  await using cleanup = new AsyncDisposableStack();
  const up = async () => {
    const { code, stderr } = await cluster('up', '--level', '1', '--name', name);
    if (code !== 0) throw new Error(`cluster '${name}' did not start: ${stderr}`);
  };
  cleanup.defer(async () => {
    await cluster('down', '--name', name);
  });
  await up();
  const engine = await connectKubernetes(requireState(bedFolder(name)));
  cleanup.defer(() => engine.close());
  const restartApiServer = async () => {
    const server = readRecord(bedFolder(name), 'kube-apiserver');
    if (server === undefined) throw new Error(`cluster '${name}' has no running API server`);
    signal(server, 'SIGKILL');
    await up();
  };
  return withCleanup({ engine, restartApiServer }, cleanup.move());
}

async function localOne(): Promise<KillableCluster> {
  await using cleanup = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'trimtab-killable-'));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const stateDir = join(folder, 'state');
  const local = new LocalClusterProcess(stateDir, await freePort());
  cleanup.defer(() => local.kill());
  local.start();
  const client = await local.connect();
  cleanup.defer(() => client.close());
  const pods = await simulatePods(client);
  cleanup.defer(() => pods.close());
  const engine = await connectKubernetes({
    name: 'killable',
    level: 1,
    kubeconfig: join(stateDir, 'admin.kubeconfig'),
    kubectl: findKubectl() ?? 'kubectl',
  });
  cleanup.defer(() => engine.close());
  const restartApiServer = async () => {
    await local.kill();
    local.start();
  };
  return withCleanup({ engine, restartApiServer }, cleanup.move());
}

function withCleanup(
  parts: Pick<KillableCluster, 'engine' | 'restartApiServer'>,
  cleanup: AsyncDisposableStack,
): KillableCluster {
  return { ...parts, [Symbol.asyncDispose]: () => cleanup.disposeAsync() };
}
