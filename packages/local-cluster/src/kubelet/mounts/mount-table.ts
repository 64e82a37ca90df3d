/** One line of a table for `mount --all --fstab`. */
export interface Bind {
  source: string;
  target: string;
  /** `rbind`, or `bind,ro` and the like. */
  options: string;
}

/** One `mount` process mounts the whole table; a process per mount would take one or two milliseconds each. */
export function mountTable(binds: readonly Bind[]): string {
  return binds
    .map(({ source, target, options }) => `${escaped(source)} ${escaped(target)} none ${options} 0 0\n`)
    .join('');
}

/** White space separates fields, so it is written as an octal escape: a blank is `\040`. */
function escaped(path: string): string {
  return path.replace(/[\s\\#]/g, (char) =>
    [...Buffer.from(char)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
  );
}

const keptFlags = ['nosuid', 'nodev', 'noexec', 'noatime', 'nodiratime', 'relatime'];

/**
 * Flags of the mount that contains `path`, from /proc/self/mountinfo. In a user namespace, a read-only bind mount is
 * allowed only when it keeps these flags.
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
    // The last of several mounts at the same path is on top.
    if (point === '' || !isAbove || mountPoint.length < longest) continue;
    longest = mountPoint.length;
    flags = options.split(',').filter((each) => keptFlags.includes(each));
  }
  return flags;
}
