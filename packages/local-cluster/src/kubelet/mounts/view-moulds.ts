import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { mountTable } from './mount-table.ts';
import type { ViewPlan } from './plan-view.ts';
import { viewScript } from './view-script.ts';

/** What all views of one shape are made by, on the disk of this machine. */
export interface ViewMould {
  /** Views with the same one differ in nothing but what is mounted into them. */
  key: string;
  script: string;
  /** An empty folder: the new root is mounted there, in the namespace of the view only. */
  root: string;
}

/**
 * Most containers see this machine in the same way, so what that takes is written down once. Nothing is ever mounted
 * in these folders as the kubelet sees them, so that they can be removed like any other.
 */
export class ViewMoulds {
  readonly #folder: string;
  readonly #known = new Map<string, ViewMould>();

  /** Whatever is in the folder is an earlier run's. */
  constructor(folder: string) {
    this.#folder = folder;
    rmSync(folder, { recursive: true, force: true });
  }

  /** `mountInfo`: what is mounted on this machine now; a view does not show what comes after it. */
  of({ folders, links, files, shown }: ViewPlan, mountInfo: string): ViewMould {
    const shape = JSON.stringify([folders, links, files, shown]);
    const key = createHash('sha256').update(shape).update(mountInfo).digest('hex').slice(0, 16);
    const mould = this.#known.get(key) ?? this.#make(key, { folders, links, files, shown });
    this.#known.set(key, mould);
    return mould;
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #make(key: string, plan: Omit<ViewPlan, 'mounts' | 'insideVolumes'>): ViewMould {
    const folder = path.join(this.#folder, key);
    const [root, skeleton] = [path.join(folder, 'root'), path.join(folder, 'skeleton')];
    const [table, script] = [path.join(folder, 'shown.fstab'), path.join(folder, 'view.sh')];
    rmSync(folder, { recursive: true, force: true });
    for (const each of [root, skeleton]) mkdirSync(each, { recursive: true });
    makeSkeleton(skeleton, plan);
    const binds = plan.shown.map(({ path: where, isFolder }) => ({
      source: where,
      target: `${root}${where}`,
      options: isFolder ? 'rbind' : 'bind',
    }));
    writeFileSync(table, mountTable(binds));
    const outerNamespace = readlinkSync('/proc/self/ns/mnt');
    writeFileSync(script, viewScript({ root, skeleton, table, outerNamespace }));
    return { key, script, root };
  }
}

/** Folders, links and empty files; the modes last, because a folder may be one that not even we can write to. */
function makeSkeleton(
  skeleton: string,
  { folders, links, files }: Pick<ViewPlan, 'folders' | 'links' | 'files'>,
) {
  const inside = (where: string) => path.join(skeleton, where);
  for (const each of folders) mkdirSync(inside(each.path), { recursive: true });
  for (const each of files) writeFileSync(inside(each), '');
  for (const { path: where, target } of links) symlinkSync(target, inside(where));
  for (const each of files) chmodSync(inside(each), 0o644);
  for (const { path: where, mode } of folders.toReversed()) chmodSync(inside(where), mode);
}
