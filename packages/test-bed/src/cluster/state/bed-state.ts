import { readFileSync } from 'node:fs';
import type { ProcessIdentity } from '../process/identity.ts';
import { BedError } from '../terminal/bed-error.ts';
import type { BedFolder } from './bed-folder.ts';
import { writeIfChanged } from './write-if-changed.ts';

export type Level = 1 | 2;

export interface Ports {
  etcd: number;
  etcdPeer: number;
  api: number;
  controllerManager: number;
  scheduler: number;
  kwok: number;
}

/** The content of bed.json: the decisions of the first `up`, and the data that tests need. TRIMTAB_BED is its path. */
export interface BedState {
  name: string;
  level: Level;
  /** Kubeconfig that works on the host and inside the bed's network. */
  kubeconfig: string;
  kubectl: string;
  auditLog: string;
  /** The folder of the binaries that this bed runs. */
  binaries: string;
  /** Number of KWOK nodes. */
  nodes: number;
  ports: Ports;
  /** The port in the kubeconfig, on the host's 127.0.0.1. */
  apiPort: number;
  /** Address and certificate for servers of tests, such as webhooks, that the API server and level-2 pods call. */
  host: { address: string; authority: string; certificate: string; key: string };
  /** Level 2 only. */
  containers?: ContainerState;
  /** The test run that owns this bed. When that process has exited, the bed can be removed. */
  owner?: ProcessIdentity;
}

export interface ContainerState {
  /** Kubeconfig that connects directly to the API server. It works only inside the bed's network. */
  kubeconfigInside: string;
  /** containerd's socket. */
  socket: string;
  cgroup: string;
  /** The name of the real node. */
  node: string;
  images: { busybox: string; node: string };
}

export function readState(folder: BedFolder): BedState | undefined {
  let text: string;
  try {
    text = readFileSync(folder.state, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return JSON.parse(text) as BedState;
}

export function requireState(folder: BedFolder): BedState {
  const state = readState(folder);
  if (state) return state;
  throw new BedError(`bed '${folder.name}' does not exist`, [
    `Bring it up: npm run cluster -- up --name ${folder.name}`,
  ]);
}

export function writeState(folder: BedFolder, state: BedState): void {
  writeIfChanged(folder.state, `${JSON.stringify(state, null, 2)}\n`);
}
