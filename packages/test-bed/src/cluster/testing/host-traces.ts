import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { parseHierarchies } from '../node/cgroups.ts';
import { identify, type ProcessIdentity } from '../process/identity.ts';
import type { BedFolder } from '../state/bed-folder.ts';

/** Lists everything that remains on this machine of a bed and of processes that were inside it. */
export function tracesOf(folder: BedFolder, insiders: readonly ProcessIdentity[] = []): string[] {
  return [
    ...(existsSync(folder.root) ? [`folder ${folder.root}`] : []),
    ...(existsSync(folder.lock) ? [`lock ${folder.lock}`] : []),
    ...processes().flatMap((pid) => tracesOfProcess(pid, folder, insiders)),
    ...mountinfo()
      .split('\n')
      .filter((line) => line.includes(folder.root))
      .map((line) => `mount ${line}`),
    ...parseHierarchies(mountinfo())
      .map(({ mount }) => `${mount}/${folder.id}`)
      .filter((path) => existsSync(path)),
  ];
}

/**
 * The processes in the mount or network namespace of a process. Call this while the namespaces exist: the kernel reuses
 * namespace numbers, so a later lookup may find unrelated processes.
 */
export function insidersOf(pid: number | string): ProcessIdentity[] {
  const own = namespacesOf(pid);
  return processes()
    .filter((each) => namespacesOf(each).some((namespace) => own.includes(namespace)))
    .flatMap((each) => identify(each) ?? []);
}

/** The identities of a process's mount and network namespaces. */
export function namespacesOf(pid: number | string): string[] {
  return ['mnt', 'net'].flatMap((kind) => {
    try {
      return [readlinkSync(`/proc/${pid}/ns/${kind}`)];
    } catch {
      return [];
    }
  });
}

/** Folders that containerd, CNI or the kubelet would leave on a host. */
export function nodeLeftovers(): string[] {
  const places = ['/var/lib/cni', '/run/netns', '/run/containerd', '/var/log/containers', '/var/log/pods'];
  return [...places, '/var/lib/kubelet'].flatMap((place) =>
    existsSync(place) ? readdirSync(place).map((name) => `${place}/${name}`) : [],
  );
}

function tracesOfProcess(pid: number, folder: BedFolder, insiders: readonly ProcessIdentity[]): string[] {
  // A zombie has exited and is only waiting for its parent.
  const identity = identify(pid);
  if (pid === process.pid || !identity) return [];
  const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
  const inside = insiders.some((each) => each.pid === pid && each.since === identity.since);
  return command.includes(`${folder.root}/`) || inside ? [`process ${pid} ${command}`] : [];
}

function processes(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function mountinfo(): string {
  return read('/proc/self/mountinfo');
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
