import path from 'node:path';
import type { Mount } from '../volumes/container-mounts.ts';

/** The kind of file at a path of this machine. */
export type FileKind = { type: 'folder'; mode: number } | { type: 'link'; target: string } | { type: 'file' };

/** Read access to this machine's file system; tests supply a fake. */
export interface Machine {
  /** Undefined when the path does not exist or may not be read. */
  look(path: string): FileKind | undefined;
  /** Names in a folder; empty when the folder may not be listed. */
  names(folder: string): string[];
}

/** The parts of the new root. Paths are paths of the container with symlinks resolved. */
export interface ViewPlan {
  /** Folders to create in the new root, with their modes, parents first. */
  folders: { path: string; mode: number }[];
  links: { path: string; target: string }[];
  /** Empty files that serve as targets of bind mounts. */
  files: string[];
  /** Files and folders of this machine that are bound unchanged. */
  shown: { path: string; isFolder: boolean }[];
  /** In mount order, with symlinks in `path` resolved. */
  mounts: Mount[];
  /** Mount points to create inside volumes first, as paths of this machine. */
  insideVolumes: { path: string; isFolder: boolean }[];
}

/** The requested view cannot be created; the message gives the reason. */
export class ViewProblem extends Error {
  override readonly name = 'ViewProblem';
}

const mostLinks = 40;

/**
 * Entries of a new /dev: those that container runtimes provide. Every container gets a new /dev because its termination
 * log is a file there.
 */
const devices = new Set(
  'null zero full random urandom tty console ptmx pts shm mqueue fd stdin stdout stderr core log'.split(' '),
);

/**
 * Plans a root that shows this machine's files and the mounts, including mounts at paths that this machine does not
 * have: a folder that lacks an entry is created anew, and its other entries are bound from this machine. `needed` are
 * further folders that must exist.
 */
export function planView(
  machine: Machine,
  mounts: readonly Mount[],
  needed: readonly string[] = [],
): ViewPlan {
  const view = new View(machine);
  const inOrder = [...mounts].sort((a, b) => depth(a.path) - depth(b.path));
  for (const mount of inOrder) view.mount(mount);
  for (const folder of needed) view.reach(folder, true);
  return view.plan();
}

class View {
  readonly #machine: Machine;
  /** Modes of the folders that are created anew because they lack an entry. */
  readonly #opened = new Map<string, number>();
  readonly #added = new Map<string, 'folder' | 'file'>();
  readonly #mounts: Mount[] = [];
  readonly #insideVolumes: { path: string; isFolder: boolean }[] = [];

  constructor(machine: Machine) {
    this.#machine = machine;
    this.#open('/');
  }

  mount(mount: Mount): void {
    const target = this.reach(mount.path, mount.isFolder);
    if (target === '/')
      throw new ViewProblem(`cannot mount a volume at ${mount.path}: it is the root of the container`);
    this.#mounts.push({ ...mount, path: target });
  }

  /** Walks to a path and adds its missing parts. Returns the path with symlinks resolved. */
  reach(wanted: string, isFolder: boolean): string {
    const rest = namesOf(wanted);
    let at = '/';
    let links = 0;
    for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
      if (name === '..') {
        at = path.posix.dirname(at);
        continue;
      }
      const isLast = rest.length === 0;
      const next = path.posix.join(at, name);
      const volume = this.#volumeAround(next);
      if (volume !== undefined) return this.#insideVolume(volume, path.posix.join(next, ...rest), isFolder);
      const sight = this.#added.has(next) ? undefined : this.#machine.look(next);
      if (sight?.type === 'link') {
        if (++links > mostLinks) throw new ViewProblem(`${wanted}: too many symbolic links`);
        if (sight.target.startsWith('/')) at = '/';
        rest.unshift(...namesOf(sight.target));
        continue;
      }
      this.#pass(next, at, sight, isLast && !isFolder, isLast, wanted);
      at = next;
    }
    return at;
  }

  /** One step of the walk: an existing entry must be of the required type, and a missing one is added. */
  #pass(
    next: string,
    parent: string,
    sight: FileKind | undefined,
    asFile: boolean,
    isLast: boolean,
    wanted: string,
  ) {
    const there = this.#added.get(next) ?? sight?.type;
    if (there === undefined) {
      if (!this.#added.has(parent)) this.#open(parent);
      this.#added.set(next, asFile ? 'file' : 'folder');
    } else if ((there === 'file') !== asFile)
      throw new ViewProblem(
        isLast
          ? `${wanted} must be a ${asFile ? 'file' : 'folder'}, but is a ${there}`
          : `${wanted} cannot be created: ${next} is a file`,
      );
  }

  #insideVolume(volume: Mount, target: string, isFolder: boolean): string {
    if (target !== volume.path) {
      const where = path.posix.join(volume.source, path.posix.relative(volume.path, target));
      this.#insideVolumes.push({ path: where, isFolder });
    }
    return target;
  }

  /** The innermost of the mounts so far that contains a path. */
  #volumeAround(place: string): Mount | undefined {
    return this.#mounts.findLast((each) => place === each.path || place.startsWith(`${each.path}/`));
  }

  /** The parents of a folder that is created anew are created anew as well, up to the root. */
  #open(folder: string): void {
    if (/^\/(proc|sys)(\/|$)/.test(folder))
      throw new ViewProblem(
        `cannot create a mount point in ${folder}: the file system belongs to the kernel`,
      );
    for (let at = folder; !this.#opened.has(at); at = path.posix.dirname(at)) {
      const sight = this.#machine.look(at);
      this.#opened.set(at, sight?.type === 'folder' ? sight.mode : 0o755);
    }
  }

  plan(): ViewPlan {
    const plan: ViewPlan = {
      folders: [],
      links: [],
      files: [],
      shown: [],
      mounts: this.#mounts,
      insideVolumes: this.#insideVolumes,
    };
    for (const [folder, mode] of this.#opened) {
      plan.folders.push({ path: folder, mode });
      const all = this.#machine.names(folder);
      const listed = folder === '/dev' ? all.filter((name) => devices.has(name)) : all;
      const names = new Set([...listed, ...this.#openedIn(folder)]);
      for (const name of names) this.#show(path.posix.join(folder, name), plan);
    }
    for (const [where, type] of this.#added) {
      if (type === 'folder') plan.folders.push({ path: where, mode: 0o755 });
      else plan.files.push(where);
    }
    plan.folders.sort((a, b) => depth(a.path) - depth(b.path));
    return plan;
  }

  /** Subfolders that are created anew. A folder that may be searched but not listed would otherwise miss them. */
  #openedIn(folder: string): string[] {
    return [...this.#opened.keys()]
      .filter((each) => each !== '/' && path.posix.dirname(each) === folder)
      .map((each) => path.posix.basename(each));
  }

  #show(where: string, plan: ViewPlan): void {
    if (this.#opened.has(where)) return;
    const sight = this.#machine.look(where);
    if (sight === undefined) return;
    if (sight.type === 'link') plan.links.push({ path: where, target: sight.target });
    else {
      plan.shown.push({ path: where, isFolder: sight.type === 'folder' });
      if (sight.type === 'folder') plan.folders.push({ path: where, mode: 0o755 });
      else plan.files.push(where);
    }
  }
}

function namesOf(where: string): string[] {
  return where.split('/').filter((name) => name !== '' && name !== '.');
}

function depth(where: string): number {
  return namesOf(where).length;
}
