import { type BinarySet, binarySet } from './build/binaries.ts';
import { ensureBinaries } from './build/build.ts';
import { ensureControllers, serversReady, startServers } from './control-plane/control-plane.ts';
import { writeKubeconfig } from './control-plane/kubeconfig-file.ts';
import { clients, ensureCertificates } from './control-plane/pki.ts';
import { type DesiredState, decideState } from './decide-state.ts';
import { ensureKwok } from './kwok/kwok.ts';
import { ensureContainerd } from './node/containerd.ts';
import { ensureNode } from './node/kubelet.ts';
import { ensureNamespaces } from './node/namespaces.ts';
import { ensureRelay } from './node/relay.ts';
import { openBed } from './open-bed.ts';
import { type BedFolder, bedFolder, createBedFolder } from './state/bed-folder.ts';
import { type BedState, writeState } from './state/bed-state.ts';
import { withLock } from './state/lock.ts';
import type { Progress } from './terminal/progress.ts';

export interface RunningBed {
  folder: BedFolder;
  state: BedState;
}

/**
 * Brings a bed up, or starts its missing components. Each step checks the state before it acts, so it can be repeated
 * after any interruption. On return every component has been healthy.
 */
export async function bringUp(
  wish: DesiredState & { name: string },
  progress: Progress,
): Promise<RunningBed> {
  const folder = bedFolder(wish.name);
  const binaries = binarySet();
  await ensureBinaries(binaries, progress);
  return withLock(
    folder.lock,
    async () => {
      const state = await prepare(folder, wish, binaries, progress);
      if (state.level === 1) await bringUpLevel1(folder, state, progress);
      else await bringUpLevel2(folder, state, progress);
      progress.step(`bed '${folder.name}' is up on level ${state.level}`);
      return { folder, state };
    },
    (pid) => progress.step(`waiting for process ${pid}, which is changing bed '${folder.name}'`),
  );
}

async function prepare(
  folder: BedFolder,
  wish: DesiredState,
  binaries: BinarySet,
  progress: Progress,
): Promise<BedState> {
  const state = await decideState(folder, wish, binaries, progress);
  createBedFolder(folder);
  writeState(folder, state);
  const addresses = [...new Set(['127.0.0.1', state.host.address])];
  ensureCertificates(folder, addresses, state.containers?.node ?? 'none');
  const inside = `https://${state.host.address}:${state.ports.api}`;
  for (const client of [...Object.keys(clients), 'kubelet']) writeKubeconfig(folder, client, inside);
  // The port of the relay works inside and outside the network. Without a relay it is the port of the API server.
  writeKubeconfig(folder, 'admin', `https://127.0.0.1:${state.apiPort}`, 'bed');
  return state;
}

async function bringUpLevel1(folder: BedFolder, state: BedState, progress: Progress): Promise<void> {
  const bed = openBed(folder, state);
  await startServers(bed);
  await serversReady(bed, progress);
  await Promise.all([ensureControllers(bed, progress), ensureKwok(bed, progress)]);
}

async function bringUpLevel2(folder: BedFolder, state: BedState, progress: Progress): Promise<void> {
  await ensureNamespaces(folder, progress);
  const bed = openBed(folder, state);
  await ensureRelay(bed);
  await startServers(bed);
  await ensureContainerd(bed, progress);
  await serversReady(bed, progress);
  await Promise.all([
    ensureControllers(bed, progress),
    ensureNode(bed, progress),
    ...(state.nodes > 0 ? [ensureKwok(bed, progress)] : []),
  ]);
}
