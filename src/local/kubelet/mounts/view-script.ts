import type { ViewPlan } from './plan-view.ts';

/** The file in a view that keeps the user namespace which owns it, for those who enter later. */
export const namespacePin = '/.trimtab';

interface ScriptFacts {
  plan: ViewPlan;
  /** An empty folder; the new root is mounted there, in the new mount namespace only. */
  root: string;
  /** Folders, links and empty files of the new root. */
  skeleton: string;
  shownTable: string;
  mountsTable: string;
  /** `mnt:[4026531841]`, the namespace of the kubelet. */
  outerNamespace: string;
  pinsUser: boolean;
}

/**
 * What a shell in a new mount namespace runs to make the view. It says `ready`, and stays until its input ends, so
 * that the namespace can be taken hold of. It refuses to mount anything in the namespace of the kubelet.
 */
export function viewScript(facts: ScriptFacts): string {
  const { plan, outerNamespace, pinsUser } = facts;
  const [root, skeleton, shown, mounts] = [
    facts.root,
    facts.skeleton,
    facts.shownTable,
    facts.mountsTable,
  ].map(quoted);
  const modes = plan.folders
    .filter(({ mode }) => mode !== 0o755)
    .map(({ path, mode }) => `chmod ${mode.toString(8)} ${quoted(`${facts.root}${path}`)}`);
  return [
    'set -eu',
    `[ "$(readlink /proc/self/ns/mnt)" != ${quoted(outerNamespace)} ] || { echo 'not in a namespace of its own' >&2; exit 1; }`,
    `mount -t tmpfs -o mode=755,size=256m trimtab ${root}`,
    `cp -RPp ${skeleton}/. ${root}/`,
    `chmod 755 ${root}`,
    // What we may not look at stays empty; that is no reason not to start.
    `mount -a -T ${shown} 2>/dev/null || true`,
    ...modes,
    ...(plan.mounts.length > 0 ? [`mount -a -T ${mounts}`] : []),
    ...(pinsUser ? [`mount --bind /proc/self/ns/user ${quoted(`${facts.root}${namespacePin}`)}`] : []),
    `cd ${root}`,
    'pivot_root . .',
    'umount -l .',
    'echo ready',
    'read -r _ || true',
  ].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
