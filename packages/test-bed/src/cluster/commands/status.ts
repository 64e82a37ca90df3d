import { call } from '../control-plane/api.ts';
import { openBed } from '../open-bed.ts';
import { isDaemonAlive, readRecord } from '../process/daemon.ts';
import { type BedFolder, bedFolder, bedNames } from '../state/bed-folder.ts';
import { type BedState, readState } from '../state/bed-state.ts';
import type { Arguments } from '../terminal/arguments.ts';

interface BedStatus extends BedState {
  /** Whether every program of the bed is running and the API server is ready. */
  healthy: boolean;
  daemons: { name: string; pid?: number; alive: boolean }[];
}

/** Returns exit code 0 when the bed is healthy, and 1 when it is not or does not exist. */
export async function status(args: Arguments): Promise<number> {
  const folder = bedFolder(args.name);
  const state = readState(folder);
  if (!state) {
    const others = bedNames().filter((name) => name !== args.name);
    const also = others.length > 0 ? ` (existing beds: ${others.join(', ')})` : '';
    if (args.json) console.log('null');
    console.error(`cluster: bed '${args.name}' does not exist${also}`);
    return 1;
  }
  const found = await inspect(folder, state);
  console.log(args.json ? JSON.stringify(found, null, 2) : describe(found));
  return found.healthy ? 0 : 1;
}

const controlPlane = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

/** The programs of a complete bed. The holder of the namespaces is first, because all others depend on it. */
function expectedDaemons(state: BedState): string[] {
  return [
    ...(state.level === 2 ? ['namespaces', 'relay'] : []),
    ...controlPlane,
    ...(state.level === 2 ? ['containerd', 'kubelet', 'kube-proxy'] : []),
    ...(state.level === 1 || state.nodes > 0 ? ['kwok'] : []),
  ];
}

async function inspect(folder: BedFolder, state: BedState): Promise<BedStatus> {
  const daemons = expectedDaemons(state).map((name) => {
    const alive = isDaemonAlive(folder, name);
    const pid = readRecord(folder, name)?.pid;
    return { name, alive, ...(pid === undefined ? {} : { pid }) };
  });
  const answers = await call(openBed(folder, state), { path: '/readyz' }).then(
    (answer) => answer.status === 200,
    () => false,
  );
  return { ...state, healthy: answers && daemons.every((each) => each.alive), daemons };
}

function describe(bed: BedStatus): string {
  const lines = bed.daemons.map(
    (each) => `  ${each.name.padEnd(24)} ${each.alive ? `pid ${each.pid}` : 'NOT RUNNING'}`,
  );
  return [
    `bed '${bed.name}', level ${bed.level}, ${bed.healthy ? 'healthy' : "NOT HEALTHY (run 'up' to repair it)"}`,
    ...lines,
    `  KWOK nodes               ${bed.nodes}`,
    `  kubeconfig               ${bed.kubeconfig}`,
    `  audit log                ${bed.auditLog}`,
  ].join('\n');
}
