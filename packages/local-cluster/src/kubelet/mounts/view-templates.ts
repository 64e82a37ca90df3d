import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { mountTable } from './mount-table.ts';
import type { ViewPlan } from './plan-view.ts';
import { viewScript } from './view-script.ts';

/** The files on disk from which all views with the same base are created. */
export interface ViewTemplate {
  /** Views with the same key differ only in the volumes mounted into them. */
  key: string;
  script: string;
  /** An empty folder at which the new root is mounted, in the namespace of the view only. */
  root: string;
}

/**
 * Most containers see this machine in the same way, so the files for it are written once. Nothing is ever mounted in
 * these folders in the kubelet's own namespace, so they are safe to remove.
 */
export class ViewTemplates {
  readonly #folder: string;
  readonly #known = new Map<string, ViewTemplate>();

  /** Removes the content of the folder, which belongs to an earlier run. */
  constructor(folder: string) {
    this.#folder = folder;
    rmSync(folder, { recursive: true, force: true });
  }

  /** `mountInfo` lists the mounts of this machine. A view does not show later mounts, so they change the key. */
  of({ folders, links, files, shown }: ViewPlan, mountInfo: string): ViewTemplate {
    const shape = JSON.stringify([folders, links, files, shown]);
    const key = createHash('sha256').update(shape).update(mountInfo).digest('hex').slice(0, 16);
    const mould = this.#known.get(key) ?? this.#make(key, { folders, links, files, shown });
    this.#known.set(key, mould);
    return mould;
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #make(key: string, plan: Omit<ViewPlan, 'mounts' | 'insideVolumes'>): ViewTemplate {
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

/** Creates folders, symlinks and empty files. Modes are set last, because a mode may make a folder read-only. */
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
