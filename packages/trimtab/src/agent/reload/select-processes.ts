import { basename } from 'node:path';
import type { Mount, Process } from './process.ts';

/** The processes to signal: by the name of their program, or by the name of their container. */
export type ProcessSelector = { process: string } | { container: string };

interface Surroundings {
  /** The process of the agent. */
  self: Process;
  /** Real path of --configroot. */
  configRoot: string;
}

/**
 * The processes that a signal is sent to. Of a program that forks (nginx and its workers) it is the first process: one
 * whose parent is not selected as well. Of a container it is the process that started first.
 *
 * A pod with `shareProcessNamespace` shows the processes of its containers, but with `hostPID`, or outside of a
 * container, there are processes of others. The agent signals only processes that mount the volume of --configroot.
 */
export function selectProcesses(
  processes: readonly Process[],
  selector: ProcessSelector,
  surroundings: Surroundings,
): Process[] {
  const { self } = surroundings;
  const volume = mountOf(surroundings.configRoot, self.mounts);
  const isSelected = (process: Process) =>
    process.pid !== self.pid &&
    !process.isZombie &&
    process.arguments.length > 0 &&
    (volume === undefined || mounts(process, volume)) &&
    ('process' in selector
      ? hasName(process, selector.process)
      : containerOf(process.mounts)?.name === selector.container &&
        containerOf(process.mounts)?.pod === containerOf(self.mounts)?.pod);
  const selected = processes.filter(isSelected);
  const pids = new Set(selected.map(({ pid }) => pid));
  const first = selected.filter(({ parent }) => !pids.has(parent));
  if ('process' in selector) return first;
  // Later processes of a container belong to a probe or to `kubectl exec`, and do not handle the signal.
  return first.sort((a, b) => a.startTicks - b.startTicks).slice(0, 1);
}

/** The mount that holds a path: the one with the longest mount point; of several at one point, the last. */
function mountOf(path: string, mounts: readonly Mount[]): Mount | undefined {
  let best: Mount | undefined;
  for (const mount of mounts) {
    const { mountPoint } = mount;
    const holds = mountPoint === '/' || path === mountPoint || path.startsWith(`${mountPoint}/`);
    if (holds && (best === undefined || mountPoint.length >= best.mountPoint.length)) best = mount;
  }
  return best;
}

/** Whether a process mounts the same volume, or a folder of it. A process whose mounts are hidden does not count. */
function mounts(process: Process, volume: Mount): boolean {
  return process.mounts.some(
    ({ device, root }) =>
      device === volume.device &&
      // The agent itself may mount a folder of the volume (subPath).
      (isWithin(root, volume.root) || (podVolume.test(root) && isWithin(volume.root, root))),
  );
}

/** Part of the path of every volume of a pod. A process that mounts more than a volume is not of the pod. */
const podVolume = /\/pods\/[^/]+\/volumes\//;

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/**
 * The program's own name, or the name of its file: `nginx: master process nginx` has the command `nginx`. The kernel keeps
 * 15 characters of the command, which do not tell a longer name from another one: then only the file counts.
 */
function hasName({ command, arguments: [program = ''] }: Process, name: string): boolean {
  return command === name || basename(program) === name;
}

/**
 * The kubelet mounts the termination log of a container from a folder that has the names of pod and container:
 * `…/pods/<uid>/containers/<container>/<id>`. Every user may read the mounts of a process, so this works for processes of
 * other users, without the Kubernetes API.
 */
export function containerOf(mounts: readonly Mount[]): { pod: string; name: string } | undefined {
  for (const { root } of mounts) {
    const [, pod, name] = /\/pods\/([^/]+)\/containers\/([^/]+)\//.exec(root) ?? [];
    if (pod !== undefined && name !== undefined) return { pod, name };
  }
  return undefined;
}
