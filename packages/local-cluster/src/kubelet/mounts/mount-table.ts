/** One line of a table for `mount --all --fstab`. */
export interface Bind {
  source: string;
  target: string;
  /** `rbind`, or `bind,ro` and the like. */
  options: string;
}

/** Many mounts by one process: `mount` for each would take a millisecond or two. */
export function mountTable(binds: readonly Bind[]): string {
  return binds
    .map(({ source, target, options }) => `${escaped(source)} ${escaped(target)} none ${options} 0 0\n`)
    .join('');
}

/** Fields end at white space; `\040` is a blank. */
function escaped(path: string): string {
  return path.replace(/[\s\\#]/g, (char) =>
    [...Buffer.from(char)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
  );
}

const keptFlags = ['nosuid', 'nodev', 'noexec', 'noatime', 'nodiratime', 'relatime'];

/**
 * Flags of the mount that `path` lies on, by /proc/self/mountinfo. In a user namespace a read-only bind is allowed
 * only when it keeps them.
 */
export function mountFlags(mountInfo: string, path: string): string[] {
  let flags: string[] = [];
  let longest = -1;
  for (const line of mountInfo.split('\n')) {
    const [, , , , point = '', options = ''] = line.split(' ');
    const mountPoint = point.replace(/\\(\d{3})/g, (_, code: string) =>
      String.fromCharCode(parseInt(code, 8)),
    );
    const isAbove = mountPoint === '/' || path === mountPoint || path.startsWith(`${mountPoint}/`);
    // Of several at the same place the last one is on top.
    if (point === '' || !isAbove || mountPoint.length < longest) continue;
    longest = mountPoint.length;
    flags = options.split(',').filter((each) => keptFlags.includes(each));
  }
  return flags;
}
