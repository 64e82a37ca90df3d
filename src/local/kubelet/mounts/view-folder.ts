import { mkdirSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Bind, mountFlags, mountTable } from './mount-table.ts';
import type { ViewPlan } from './plan-view.ts';
import { viewScript } from './view-script.ts';

/**
 * Writes down what has to be mounted for a view, and answers the script that does it. Nothing is ever mounted in this
 * folder as the kubelet sees it, so that it can be removed like any other.
 */
export function writeViewFolder(folder: string, plan: ViewPlan): string {
  const root = path.join(folder, 'root');
  const shownTable = path.join(folder, 'shown.fstab');
  const mountsTable = path.join(folder, 'mounts.fstab');
  const script = path.join(folder, 'view.sh');
  const outerNamespace = readlinkSync('/proc/self/ns/mnt');
  mkdirSync(root, { recursive: true });
  for (const { path: each, isFolder } of plan.insideVolumes) make(each, isFolder);
  writeFileSync(shownTable, mountTable(shownBinds(plan, root)));
  writeFileSync(mountsTable, mountTable(mountBinds(plan, root)));
  writeFileSync(script, viewScript({ plan, root, shownTable, mountsTable, outerNamespace }));
  return script;
}

function make(where: string, isFolder: boolean): void {
  mkdirSync(isFolder ? where : path.dirname(where), { recursive: true });
  if (!isFolder) writeFileSync(where, '', { flag: 'a' });
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
