import { readFileSync, realpathSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Bind, mountFlags, mountTable } from './mount-table.ts';
import type { ViewPlan } from './plan-view.ts';
import { namespacePin } from './view-script.ts';

export interface ViewFolder {
  root: string;
  skeleton: string;
  shownTable: string;
  mountsTable: string;
}

/** Writes down what the script mounts. Nothing is ever mounted in here as the kubelet sees it. */
export async function writeViewFolder(folder: string, plan: ViewPlan): Promise<ViewFolder> {
  const where = {
    root: path.join(folder, 'root'),
    skeleton: path.join(folder, 'skeleton'),
    shownTable: path.join(folder, 'shown.fstab'),
    mountsTable: path.join(folder, 'mounts.fstab'),
  };
  await rm(where.skeleton, { recursive: true, force: true });
  await mkdir(where.root, { recursive: true });
  for (const { path: each } of plan.folders)
    await mkdir(path.join(where.skeleton, each), { recursive: true });
  for (const each of [...plan.files, namespacePin]) await writeFile(path.join(where.skeleton, each), '');
  for (const { path: each, target } of plan.links) await symlink(target, path.join(where.skeleton, each));
  for (const { path: each, isFolder } of plan.insideVolumes) await make(each, isFolder);
  await writeFile(where.shownTable, mountTable(shownBinds(plan, where.root)));
  await writeFile(where.mountsTable, mountTable(mountBinds(plan, where.root)));
  return where;
}

async function make(where: string, isFolder: boolean): Promise<void> {
  await mkdir(isFolder ? where : path.dirname(where), { recursive: true });
  if (!isFolder) await writeFile(where, '', { flag: 'a' });
}

function shownBinds({ shown }: ViewPlan, root: string): Bind[] {
  return shown.map(({ path: each, isFolder }) => ({
    source: each,
    target: `${root}${each}`,
    options: isFolder ? 'rbind' : 'bind',
  }));
}

function mountBinds({ mounts }: ViewPlan, root: string): Bind[] {
  const mountInfo = readFileSync('/proc/self/mountinfo', 'utf8');
  return mounts.map(({ path: each, source, isFolder, isReadOnly }) => ({
    source,
    target: `${root}${each}`,
    // Recursive where it can be: of a folder with mounts in it, a user namespace may not show what they hide.
    options: isReadOnly
      ? ['bind', 'ro', ...mountFlags(mountInfo, realpathSync(source))].join(',')
      : isFolder
        ? 'rbind'
        : 'bind',
  }));
}
