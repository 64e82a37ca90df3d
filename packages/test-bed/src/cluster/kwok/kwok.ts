import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bed, binary } from '../bed.ts';
import { call } from '../control-plane/api.ts';
import { ready, start } from '../control-plane/control-plane.ts';
import { isDaemonAlive } from '../process/daemon.ts';
import { writeIfChanged } from '../state/write-if-changed.ts';
import { BedError } from '../terminal/bed-error.ts';
import type { Progress } from '../terminal/progress.ts';
import { ensureDeleteGuard } from './delete-guard.ts';
import { kwokNode, nodeName, surplusNodes } from './nodes.ts';

const stageFiles = ['node-stages.yaml', 'pod-stages.yaml', 'behaviour-stages.yaml'];

/** Starts KWOK with exactly the number of nodes in the state, all Ready. Needs a ready API server. */
export async function ensureKwok(bed: Bed, progress: Progress): Promise<void> {
  const stages = bed.folder.at('kwok-stages.yaml');
  const texts = stageFiles.map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'));
  writeIfChanged(stages, texts.join('\n---\n'));
  if (!isDaemonAlive(bed.folder, 'kwok')) await releaseNodes(bed);
  await ensureDeleteGuard(bed);
  await start(bed, {
    name: 'kwok',
    command: [
      binary(bed, 'kwok'),
      `--kubeconfig=${bed.folder.at('kwok.kubeconfig')}`,
      `--config=${stages}`,
      '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
      `--server-address=127.0.0.1:${bed.state.ports.kwok}`,
      '--cidr=10.200.0.0/16',
      '--node-ip=10.200.255.254',
      '--node-lease-duration-seconds=40',
    ],
  });
  await ready(bed, ['kwok'], async () => {
    const at = { host: '127.0.0.1', port: bed.state.ports.kwok, plain: true };
    return (await call(bed, { path: '/healthz', at })).status === 200;
  });
  await ensureNodes(bed);
  await ready(
    bed,
    ['kwok'],
    async () => (await readyNodes(bed)) === bed.state.nodes,
    'KWOK nodes to be Ready',
  );
  progress.step(`KWOK ready with ${bed.state.nodes} ${bed.state.nodes === 1 ? 'node' : 'nodes'}`);
}

/** Deletes the node Leases that a killed KWOK still holds: a new KWOK would wait 40 s for them to expire. */
async function releaseNodes(bed: Bed): Promise<void> {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
  for (const node of await listNodes(bed))
    await call(bed, { method: 'DELETE', path: `${leases}/${node.metadata.name}` });
}

interface NodeList {
  items: { metadata: { name: string }; status: { conditions?: { type: string; status: string }[] } }[];
}

async function listNodes(bed: Bed): Promise<NodeList['items']> {
  const answer = await call(bed, { path: '/api/v1/nodes?labelSelector=type%3Dkwok' });
  return (JSON.parse(answer.body) as NodeList).items;
}

async function readyNodes(bed: Bed): Promise<number> {
  const isReady = (condition: { type: string; status: string }) =>
    condition.type === 'Ready' && condition.status === 'True';
  return (await listNodes(bed)).filter((node) => node.status.conditions?.some(isReady)).length;
}

async function ensureNodes(bed: Bed): Promise<void> {
  const existing = (await listNodes(bed)).map((node) => node.metadata.name);
  for (const name of surplusNodes(existing, bed.state.nodes))
    await call(bed, { method: 'DELETE', path: `/api/v1/nodes/${name}` });
  for (let index = 0; index < bed.state.nodes; index++) {
    if (existing.includes(nodeName(index))) continue;
    // On level 2 pods run on the real node by default. A test that needs KWOK nodes there tolerates the taint.
    const body = kwokNode(index, { tainted: bed.state.level === 2 });
    const answer = await call(bed, { method: 'POST', path: '/api/v1/nodes', body });
    if (answer.status !== 201 && answer.status !== 409)
      throw new BedError(`creating a KWOK node failed with status ${answer.status}`, [answer.body]);
  }
}
