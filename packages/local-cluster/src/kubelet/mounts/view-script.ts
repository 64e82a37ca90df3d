interface ScriptFacts {
  /** An empty folder at which the new root is mounted, in the new mount namespace only. */
  root: string;
  /** The folder that is copied to the new root. */
  skeleton: string;
  /** Table of the files of this machine that are bound into the new root. */
  table: string;
  /** `mnt:[4026531841]`, the namespace of the kubelet. */
  outerNamespace: string;
}

/**
 * The script that a shell in a new mount namespace runs to create a view. It prints `blank` once the view shows this
 * machine's files, reads the path of a table of further mounts, prints `ready`, and runs until its input ends, so that
 * the namespace can be opened. It refuses to mount anything in the namespace of the kubelet.
 */
export function viewScript({ outerNamespace, ...facts }: ScriptFacts): string {
  const [root, skeleton, table] = [facts.root, facts.skeleton, facts.table].map(quoted);
  return [
    'set -eu; umask 022',
    `[ "$(readlink /proc/self/ns/mnt)" != ${quoted(outerNamespace)} ] || { echo 'not in a new mount namespace' >&2; exit 1; }`,
    `mount -t tmpfs -o mode=755,size=256m pod ${root}`,
    `cd ${root}`,
    `cp -R -P -p ${skeleton}/. .`,
    // A path that the user may not read stays empty, which does not prevent the start.
    `mount -a -T ${table} 2>/dev/null || true`,
    'echo blank',
    'IFS= read -r mounts',
    '[ -z "$mounts" ] || mount -a -T "$mounts"',
    'pivot_root . .',
    'umount -l .',
    'echo ready',
    'read -r _ || true',
    '',
  ].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
