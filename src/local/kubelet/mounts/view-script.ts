import path from 'node:path';
import type { ViewPlan } from './plan-view.ts';

interface ScriptFacts {
  plan: ViewPlan;
  /** An empty folder; the new root is mounted there, in the new mount namespace only. */
  root: string;
  shownTable: string;
  mountsTable: string;
  /** `mnt:[4026531841]`, the namespace of the kubelet. */
  outerNamespace: string;
}

/**
 * What a shell in a new mount namespace runs to make the view. It says `ready`, and stays until its input ends, so
 * that the namespace can be taken hold of. It refuses to mount anything in the namespace of the kubelet.
 */
export function viewScript(facts: ScriptFacts): string {
  const { plan, outerNamespace } = facts;
  const [root, shown, mounts] = [facts.root, facts.shownTable, facts.mountsTable].map(quoted);
  return [
    'set -eu; umask 022',
    `[ "$(readlink /proc/self/ns/mnt)" != ${quoted(outerNamespace)} ] || { echo 'not in a namespace of its own' >&2; exit 1; }`,
    `mount -t tmpfs -o mode=755,size=256m trimtab ${root}`,
    `cd ${root}`,
    ...skeleton(plan),
    // What we may not look at stays empty; that is no reason not to start.
    `mount -a -T ${shown} 2>/dev/null || true`,
    ...(plan.mounts.length > 0 ? [`mount -a -T ${mounts}`] : []),
    'pivot_root . .',
    'umount -l .',
    'echo ready',
    'read -r _ || true',
    '',
  ].join('\n');
}

/** Folders, links and empty files, in the new root. A shell makes files without starting anything. */
function skeleton({ folders, files, links }: ViewPlan): string[] {
  const made = folders.filter((each) => each.path !== '/');
  const linksOf = Map.groupBy(links, (each) => path.posix.dirname(each.path));
  return [
    ...(made.length > 0 ? [`mkdir -p -m 755 ${made.map((each) => inside(each.path)).join(' ')}`] : []),
    ...files.map((each) => `: > ${inside(each)}`),
    // Links are copied as they are, all of a folder at once.
    ...[...linksOf].map(
      ([folder, list]) => `cp -P ${list.map((each) => quoted(each.path)).join(' ')} ${inside(folder)}/`,
    ),
    ...folders
      .filter(({ mode }) => mode !== 0o755)
      .map((each) => `chmod ${each.mode.toString(8)} ${inside(each.path)}`),
  ];
}

function inside(where: string): string {
  return quoted(`.${where}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
