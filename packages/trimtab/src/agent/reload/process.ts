/** A process of /proc, as far as the agent needs it. */
export interface Process {
  pid: number;
  parent: number;
  /** Name of the program, at most 15 characters. */
  command: string;
  /** The command line; empty for a kernel thread or a zombie. */
  arguments: readonly string[];
  uid: number;
  /** Start time in clock ticks since boot; together with the PID, it identifies the process. */
  startTicks: number;
  isZombie: boolean;
  /** Whether it waits for something that a signal may interrupt. */
  isSleeping: boolean;
  signals: SignalMasks;
  mounts: readonly Mount[];
}

/** Bit masks of /proc/PID/status: bit n-1 is signal n. */
export interface SignalMasks {
  caught: bigint;
  blocked: bigint;
  ignored: bigint;
}

/** One line of /proc/PID/mountinfo. */
export interface Mount {
  /** `8:1`, the device of the file system. */
  device: string;
  /** Path within the file system that is mounted. */
  root: string;
  mountPoint: string;
}

/** Parses /proc/PID/stat: the name in parentheses may hold spaces and parentheses. */
export function parseStat(
  text: string,
): Pick<Process, 'command' | 'parent' | 'startTicks' | 'isZombie' | 'isSleeping'> {
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  return {
    command: text.slice(text.indexOf('(') + 1, end),
    parent: Number(fields[1]),
    startTicks: Number(fields[19]),
    isZombie: fields[0] === 'Z' || fields[0] === 'X',
    isSleeping: fields[0] === 'S',
  };
}

/** Parses /proc/PID/status. */
export function parseStatus(text: string): Pick<Process, 'uid' | 'signals'> {
  const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(text)?.[1] ?? '0';
  const mask = (name: string) => BigInt(`0x${field(name)}`);
  return {
    uid: Number(field('Uid')),
    signals: { caught: mask('SigCgt'), blocked: mask('SigBlk'), ignored: mask('SigIgn') },
  };
}

/** Parses /proc/PID/mountinfo. */
export function parseMounts(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [, , device, root, mountPoint] = line.split(' ');
    if (device === undefined || root === undefined || mountPoint === undefined) return [];
    return [{ device, root: unescaped(root), mountPoint: unescaped(mountPoint) }];
  });
}

/** The kernel writes a space as `\040`. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
