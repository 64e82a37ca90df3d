import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Hierarchy {
  mount: string;
  version: 1 | 2;
}

/** Parses /proc/self/mountinfo and returns the control group mounts. */
export function parseHierarchies(mountinfo: string): Hierarchy[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const mount = before.split(' ')[4];
    const type = after.split(' ')[0];
    if (mount === undefined || (type !== 'cgroup' && type !== 'cgroup2')) return [];
    return [{ mount, version: type === 'cgroup' ? 1 : 2 } as const];
  });
}

/** Creates the root control group of the bed's pods. It separates the kubelets of different beds. */
export function ensureCgroup(name: string): void {
  const all = hierarchies();
  // On a machine that mounts both versions, the controllers are in version 1.
  const version = all.some((each) => each.version === 1) ? 1 : 2;
  for (const { mount } of all.filter((each) => each.version === version)) {
    const folder = join(mount, name);
    mkdirSync(folder, { recursive: true });
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      // In the cpuset hierarchy of version 1, a new group has no CPUs and no memory nodes until they are set.
      if (version === 1 && existsSync(join(folder, file)))
        writeFileSync(join(folder, file), readFileSync(join(mount, file)));
    }
  }
}

/** The process IDs of all containers of the bed. */
export function cgroupProcesses(name: string): number[] {
  const pids = folders(name).flatMap((folder) => {
    try {
      return readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);
    } catch {
      return []; // the group was removed concurrently
    }
  });
  return [...new Set(pids)];
}

/** Returns false while the group still contains a process. */
export function removeCgroup(name: string): boolean {
  for (const folder of folders(name).sort((a, b) => b.length - a.length)) {
    try {
      rmdirSync(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return false;
    }
  }
  return true;
}

function hierarchies(): Hierarchy[] {
  return parseHierarchies(readFileSync('/proc/self/mountinfo', 'utf8'));
}

function folders(name: string): string[] {
  return hierarchies()
    .map(({ mount }) => join(mount, name))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => [folder, ...foldersBelow(folder)]);
}

function foldersBelow(folder: string): string[] {
  try {
    const children = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return children.flatMap((entry) => {
      const child = join(folder, entry.name);
      return [child, ...foldersBelow(child)];
    });
  } catch {
    return []; // the group was removed concurrently
  }
}
