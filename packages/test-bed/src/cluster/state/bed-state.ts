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

/** bed.json: what was decided at the first `up` and what tests need to know. Tests find it through TRIMTAB_BED. */
export interface BedState {
  name: string;
  level: Level;
  /** Works on the host and inside the bed's network alike. */
  kubeconfig: string;
  kubectl: string;
  auditLog: string;
  /** The folder with the binaries that this bed runs. */
  binaries: string;
  /** How many KWOK nodes it has. */
  nodes: number;
  ports: Ports;
  /** The port on the host's 127.0.0.1 that the kubeconfig names. */
  apiPort: number;
  /** For servers that a test runs where the API server (and on level 2 the pods) can reach them, such as webhooks. */
  host: { address: string; authority: string; certificate: string; key: string };
  /** Level 2 only. */
  containers?: ContainerState;
  /** The test run that this bed belongs to: when it is gone, nobody needs the bed any more. */
  owner?: ProcessIdentity;
}

export interface ContainerState {
  /** Talks straight to the API server; works only inside the bed's network. */
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
  throw new BedError(`there is no bed '${folder.name}'`, [
    `Bring it up: npm run cluster -- up --name ${folder.name}`,
  ]);
}

export function writeState(folder: BedFolder, state: BedState): void {
  writeIfChanged(folder.state, `${JSON.stringify(state, null, 2)}\n`);
}
