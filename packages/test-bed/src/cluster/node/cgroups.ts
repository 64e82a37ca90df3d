import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Hierarchy {
  mount: string;
  version: 1 | 2;
}

/** The text of /proc/self/mountinfo to the places where control groups are mounted. */
export function parseHierarchies(mountinfo: string): Hierarchy[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const mount = before.split(' ')[4];
    const type = after.split(' ')[0];
    if (mount === undefined || (type !== 'cgroup' && type !== 'cgroup2')) return [];
    return [{ mount, version: type === 'cgroup' ? 1 : 2 } as const];
  });
}

/** A control group that is the root of the bed's pods, so that the kubelets of two beds never meet. */
export function ensureCgroup(name: string): void {
  const all = hierarchies();
  // A machine that mounts both has its controllers in the old ones.
  const version = all.some((each) => each.version === 1) ? 1 : 2;
  for (const { mount } of all.filter((each) => each.version === version)) {
    const folder = join(mount, name);
    mkdirSync(folder, { recursive: true });
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      // In the old cpuset hierarchy a new group may use no processor at all until it is told.
      if (version === 1 && existsSync(join(folder, file)))
        writeFileSync(join(folder, file), readFileSync(join(mount, file)));
    }
  }
}

/** The processes of all containers of the bed. */
export function cgroupProcesses(name: string): number[] {
  const pids = folders(name).flatMap((folder) => {
    try {
      return readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);
    } catch {
      return []; // removed while we looked
    }
  });
  return [...new Set(pids)];
}

/** False while the kernel still counts a process in it. */
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
    return []; // removed while we looked
  }
}
