import type { BinarySet } from './build/binaries.ts';
import { certificateFile, keyFile } from './control-plane/pki.ts';
import { freePorts, isFree } from './control-plane/ports.ts';
import { bridgeAddress } from './node/network.ts';
import { missingForLevel2 } from './prerequisites.ts';
import { isDaemonAlive, recordedDaemons } from './process/daemon.ts';
import type { ProcessIdentity } from './process/identity.ts';
import { type BedFolder, bedFolder, bedNames } from './state/bed-folder.ts';
import { type BedState, type Level, type Ports, readState } from './state/bed-state.ts';
import { BedError } from './terminal/bed-error.ts';
import type { Progress } from './terminal/progress.ts';

/** The options of `up`. Omitted options keep their previous values. */
export interface DesiredState {
  level?: Level;
  nodes?: number;
  owner?: ProcessIdentity;
}

const defaultNodes: Record<Level, number> = { 1: 2, 2: 0 };

/** Fixed ports: in the bed's own network namespace no other program uses them. */
const namespacePorts: Ports = {
  etcd: 2379,
  etcdPeer: 2380,
  api: 6443,
  controllerManager: 10257,
  scheduler: 10259,
  kwok: 10247,
};

/** The desired content of bed.json: the decisions of previous `up` commands, and new ones where there are none. */
export async function decideState(
  folder: BedFolder,
  wish: DesiredState,
  binaries: BinarySet,
  progress: Progress,
): Promise<BedState> {
  const before = readState(folder);
  const running = recordedDaemons(folder).some((name) => isDaemonAlive(folder, name));
  if (before && running && before.binaries !== binaries.folder)
    throw new BedError(`bed '${folder.name}' runs binaries of another version than go.mod specifies`, [
      `Take it down first: npm run cluster -- down --name ${folder.name}`,
    ]);
  const level = decideLevel(folder.name, wish.level, before?.level, progress);
  const ports = await decidePorts(level, before, running);
  const owner = wish.owner ?? before?.owner;
  return {
    name: folder.name,
    level,
    kubeconfig: folder.at('bed.kubeconfig'),
    kubectl: `${binaries.folder}/kubectl`,
    auditLog: folder.log('audit'),
    binaries: binaries.folder,
    nodes: wish.nodes ?? before?.nodes ?? defaultNodes[level],
    ...ports,
    host: {
      address: level === 1 ? '127.0.0.1' : bridgeAddress,
      authority: certificateFile(folder, 'ca'),
      certificate: certificateFile(folder, 'host'),
      key: keyFile(folder, 'host'),
    },
    ...(level === 2
      ? {
          containers: {
            kubeconfigInside: folder.at('admin.kubeconfig'),
            socket: folder.at('containerd.sock'),
            cgroup: folder.id,
            node: 'bed-node',
            images: { busybox: 'bed/busybox:1', node: 'bed/node:1' },
          },
        }
      : {}),
    ...(owner === undefined ? {} : { owner }),
  };
}

function decideLevel(
  name: string,
  wished: Level | undefined,
  before: Level | undefined,
  progress: Progress,
): Level {
  if (before !== undefined && wished !== undefined && before !== wished)
    throw new BedError(`bed '${name}' is a level-${before} bed`, [
      `Take it down first (npm run cluster -- down --name ${name}), or use another --name.`,
    ]);
  const level = wished ?? before;
  if (level === 1) return 1;
  const missing = missingForLevel2();
  if (!missing) return 2;
  const advice = missing.remedy ? [`Install: ${missing.remedy}`] : [];
  if (level === 2)
    throw new BedError(`this machine cannot run level 2: ${missing.reasons.join('; ')}`, [
      ...advice,
      'Level 1 (control plane and KWOK nodes) does not need this: npm run cluster -- up --level 1',
    ]);
  progress.step(
    `using level 1 with simulated pods, because this machine cannot run containers: ${missing.reasons.join('; ')}`,
  );
  for (const line of advice) progress.step(line);
  return 1;
}

async function decidePorts(
  level: Level,
  before: BedState | undefined,
  running: boolean,
): Promise<Pick<BedState, 'ports' | 'apiPort'>> {
  if (before && (running || (await stillFree(before))))
    return { ports: before.ports, apiPort: before.apiPort };
  const others = bedNames().flatMap((name) => {
    const state = readState(bedFolder(name));
    return state ? [...Object.values<number>({ ...state.ports }), state.apiPort] : [];
  });
  const [apiPort = 0, etcd = 0, etcdPeer = 0, controllerManager = 0, scheduler = 0, kwok = 0] =
    await freePorts(6, new Set(others));
  if (level === 2) return { ports: namespacePorts, apiPort };
  return { ports: { etcd, etcdPeer, api: apiPort, controllerManager, scheduler, kwok }, apiPort };
}

/** Another program may have bound a port while the bed was not running. */
async function stillFree(before: BedState): Promise<boolean> {
  const wanted = before.level === 1 ? Object.values<number>({ ...before.ports }) : [before.apiPort];
  const free = await Promise.all(wanted.map(isFree));
  return free.every(Boolean);
}
