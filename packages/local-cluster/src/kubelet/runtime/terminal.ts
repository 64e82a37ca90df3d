import { execFile, spawnSync } from 'node:child_process';
import { Readable } from 'node:stream';

/** File descriptor on which a command in a terminal reports its PID and its terminal device. */
export const terminalFd = 3;

/**
 * The command line that runs a command in a new terminal. `script` provides the pseudo-terminal because Node cannot.
 * The command's PID and device are reported on a descriptor that the command itself does not inherit. `script` runs
 * outside the container's mounts: a container sees the terminal devices but cannot create one.
 */
export function inTerminal(command: readonly string[], kind = scriptKind()): string[] {
  const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const inside = `echo "$$ $(tty)" >&${terminalFd}; exec ${terminalFd}>&-; exec ${quoted}`;
  if (kind === 'bsd') return ['script', '-q', '/dev/null', 'sh', '-c', inside];
  return ['script', '--quiet', '--flush', '--return', '--echo', 'always', '--command', inside, '/dev/null'];
}

export const noTerminals =
  'a TTY requires the script program of util-linux or BSD, which this machine does not have';

type ScriptKind = 'util-linux' | 'bsd' | 'none';

let known: ScriptKind | undefined;

/** The two `script` programs have different options. macOS has that of BSD, which takes the command as words. */
function scriptKind(): ScriptKind {
  known ??= kindOf(spawnSync('script', ['--version'], { encoding: 'utf8' }));
  return known;
}

export function kindOf(
  { error, stdout }: { error?: Error; stdout: string | null },
  platform: NodeJS.Platform = process.platform,
): ScriptKind {
  if (error !== undefined) return 'none';
  if (stdout?.includes('util-linux')) return 'util-linux';
  return platform === 'linux' ? 'none' : 'bsd';
}

/** Whether commands can run in a terminal on this machine. */
export function hasTerminals(): boolean {
  return scriptKind() !== 'none';
}

/** A terminal that a command runs in. */
export class Terminal {
  #device: string | undefined;
  #leader: number | undefined;
  #size: { columns: number; rows: number } | undefined;
  #isBusy = false;

  /** `told` is the stream on which the command reports its PID and device. */
  constructor(told: unknown) {
    if (!(told instanceof Readable)) return;
    let text = '';
    told.on('error', () => {});
    told.on('data', (part: Buffer) => {
      text += part.toString('utf8');
      // The stream does not end here: `script` keeps the descriptor open.
      if (!text.includes('\n')) return;
      told.destroy();
      const [, pid, device] = /^(\d+) (\/dev\/[\w/]+)\n$/.exec(text) ?? [];
      if (device === undefined) return;
      this.#leader = Number(pid);
      this.#device = device;
      this.#apply();
    });
  }

  /** The PID and process group of the command itself; undefined until the command has reported it. */
  get leader(): number | undefined {
    return this.#leader;
  }

  /** The program in the terminal receives SIGWINCH. */
  resize(size: { columns: number; rows: number }): void {
    this.#size = size;
    this.#apply();
  }

  /** Applies one size at a time; only the latest of the waiting sizes is applied. */
  #apply(): void {
    const size = this.#size;
    if (this.#isBusy || this.#device === undefined || size === undefined) return;
    this.#size = undefined;
    this.#isBusy = true;
    const values = ['rows', String(size.rows), 'cols', String(size.columns)];
    // A failure is ignored: the terminal is gone.
    execFile('stty', [scriptKind() === 'bsd' ? '-f' : '-F', this.#device, ...values], () => {
      this.#isBusy = false;
      this.#apply();
    });
  }
}
