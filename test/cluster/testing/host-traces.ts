import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { parseHierarchies } from '../node/cgroups.ts';
import { identify } from '../process/identity.ts';
import type { BedFolder } from '../state/bed-folder.ts';

/** What there is of a bed on this machine, as words; nothing when it has left no trace. */
export function tracesOf(folder: BedFolder, namespaces: readonly string[] = []): string[] {
  return [
    ...(existsSync(folder.root) ? [`folder ${folder.root}`] : []),
    ...(existsSync(folder.lock) ? [`lock ${folder.lock}`] : []),
    ...processes().flatMap((pid) => tracesOfProcess(pid, folder, namespaces)),
    ...mountinfo()
      .split('\n')
      .filter((line) => line.includes(folder.root))
      .map((line) => `mount ${line}`),
    ...parseHierarchies(mountinfo())
      .map(({ mount }) => `${mount}/${folder.id}`)
      .filter((path) => existsSync(path)),
  ];
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

function tracesOfProcess(pid: number, folder: BedFolder, namespaces: readonly string[]): string[] {
  // A zombie has ended; whoever started it has not looked yet.
  if (pid === process.pid || !identify(pid)) return [];
  const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
  const inside = namespacesOf(pid).some((each) => namespaces.includes(each));
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
