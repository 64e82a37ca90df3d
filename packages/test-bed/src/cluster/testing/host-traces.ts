import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { parseHierarchies } from '../node/cgroups.ts';
import { identify, type ProcessIdentity } from '../process/identity.ts';
import type { BedFolder } from '../state/bed-folder.ts';

/** What there is of a bed, and of those who were inside, on this machine, as words; nothing when it left no trace. */
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
 * Who is in the mount or network namespace of a process. The kernel numbers namespaces anew as soon as they are gone: who
 * asks later may meet a stranger in one of the same number.
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
  // A zombie has ended; whoever started it has not looked yet.
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
