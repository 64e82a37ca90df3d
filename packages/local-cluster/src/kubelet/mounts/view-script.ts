interface ScriptFacts {
  /** An empty folder; the new root is mounted there, in the new mount namespace only. */
  root: string;
  /** What the new root is a copy of. */
  skeleton: string;
  /** What of this machine is shown in it. */
  table: string;
  /** `mnt:[4026531841]`, the namespace of the kubelet. */
  outerNamespace: string;
}

/**
 * What a shell in a new mount namespace runs to make a view. It says `blank` when it shows this machine, takes the path
 * of a table of what is to be mounted besides, says `ready`, and stays until its input ends, so that the namespace can
 * be taken hold of. It refuses to mount anything in the namespace of the kubelet.
 */
export function viewScript({ outerNamespace, ...facts }: ScriptFacts): string {
  const [root, skeleton, table] = [facts.root, facts.skeleton, facts.table].map(quoted);
  return [
    'set -eu; umask 022',
    `[ "$(readlink /proc/self/ns/mnt)" != ${quoted(outerNamespace)} ] || { echo 'not in a namespace of its own' >&2; exit 1; }`,
    `mount -t tmpfs -o mode=755,size=256m pod ${root}`,
    `cd ${root}`,
    `cp -R -P -p ${skeleton}/. .`,
    // What we may not look at stays empty; that is no reason not to start.
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
