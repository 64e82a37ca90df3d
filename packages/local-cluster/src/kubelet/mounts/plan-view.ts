import path from 'node:path';
import type { Mount } from '../volumes/container-mounts.ts';

/** What is at a path of this machine. */
export type Sight = { type: 'folder'; mode: number } | { type: 'link'; target: string } | { type: 'file' };

/** How the planner looks at this machine; the tests have one of their own. */
export interface Machine {
  /** Undefined: nothing there, or not for us to see. */
  look(path: string): Sight | undefined;
  /** Names in a folder, as far as we may list it. */
  names(folder: string): string[];
}

/** What the new root is made of. Paths are those of the container, and free of links. */
export interface ViewPlan {
  /** Real folders of the new root with their modes, parents first. */
  folders: { path: string; mode: number }[];
  links: { path: string; target: string }[];
  /** Empty files, for something to be bound over. */
  files: string[];
  /** What is shown as on this machine. */
  shown: { path: string; isFolder: boolean }[];
  /** In the order in which they are mounted; `path` without links. */
  mounts: Mount[];
  /** To be made inside of volumes before: places of this machine. */
  insideVolumes: { path: string; isFolder: boolean }[];
}

/** The container asks for a view that cannot be made; the message says why. */
export class ViewProblem extends Error {
  override readonly name = 'ViewProblem';
}

const mostLinks = 40;

/** Every container has a file of its own in /dev: a new /dev has what container runtimes put there, no more. */
const devices = new Set(
  'null zero full random urandom tty console ptmx pts shm mqueue fd stdin stdout stderr core log'.split(' '),
);

/**
 * A root of its own that shows this machine, and in it the mounts, also where this machine has no such folder: a
 * folder that lacks something is made anew and gets each of its entries from this machine. `needed` are folders that
 * have to be there besides.
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
  /** Folders that are made anew, with what they lack. */
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
    if (target === '/') throw new ViewProblem(`a volume cannot be mounted at ${mount.path}: it is the root`);
    this.#mounts.push({ ...mount, path: target });
  }

  /** Walks to a place, and adds what is missing on the way. Answers the place without links. */
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
        if (++links > mostLinks) throw new ViewProblem(`${wanted}: too many links`);
        if (sight.target.startsWith('/')) at = '/';
        rest.unshift(...namesOf(sight.target));
        continue;
      }
      this.#pass(next, at, sight, isLast && !isFolder, isLast, wanted);
      at = next;
    }
    return at;
  }

  /** One step of the way; what is there has to be what is needed, and what is not there is added. */
  #pass(
    next: string,
    parent: string,
    sight: Sight | undefined,
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
          ? `${wanted} is a ${there} here, and a ${asFile ? 'file' : 'folder'} is to be mounted there`
          : `${wanted}: ${next} is a file`,
      );
  }

  #insideVolume(volume: Mount, target: string, isFolder: boolean): string {
    if (target !== volume.path) {
      const where = path.posix.join(volume.source, path.posix.relative(volume.path, target));
      this.#insideVolumes.push({ path: where, isFolder });
    }
    return target;
  }

  /** The innermost of the mounts so far that a place lies in. */
  #volumeAround(place: string): Mount | undefined {
    return this.#mounts.findLast((each) => place === each.path || place.startsWith(`${each.path}/`));
  }

  /** A folder that is made anew has to be in one that is, up to the root. */
  #open(folder: string): void {
    if (/^\/(proc|sys)(\/|$)/.test(folder))
      throw new ViewProblem(`nothing can be mounted at a new place in ${folder}: it belongs to the kernel`);
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

  /** A folder that we may pass through but not list still shows the way. */
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
