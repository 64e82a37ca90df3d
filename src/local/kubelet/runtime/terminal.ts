import { execFile, spawnSync } from 'node:child_process';
import { Readable } from 'node:stream';

/** Where a command in a terminal tells its PID and which one it is. */
export const terminalFd = 3;

/**
 * The command line that runs a command in a terminal of its own. Node has no pseudo-terminals, but `script` has. The
 * command is one of this machine: a container whose files are mounted has the terminals, but cannot make one.
 */
export function inTerminal(
  command: readonly string[],
  platform: NodeJS.Platform = process.platform,
): string[] {
  const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const inside = `echo "$$ $(tty)" >&${terminalFd}; exec ${terminalFd}>&-; exec ${quoted}`;
  // On the BSDs and macOS it takes the command as it is.
  if (platform !== 'linux') return ['script', '-q', '/dev/null', 'sh', '-c', inside];
  return ['script', '--quiet', '--flush', '--return', '--echo', 'always', '--command', inside, '/dev/null'];
}

export const noTerminals = 'a terminal needs the program script of util-linux, and this machine has none';

let isKnown: boolean | undefined;

/** Whether commands can have one: other programs of that name know other options. */
export function hasTerminals(): boolean {
  isKnown ??=
    process.platform !== 'linux' ||
    (spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false);
  return isKnown;
}

/** A terminal that a command runs in. */
export class Terminal {
  #device: string | undefined;
  #leader: number | undefined;
  #size: { columns: number; rows: number } | undefined;
  #isBusy = false;

  /** `told` is what the command says on its descriptor. */
  constructor(told: unknown) {
    if (!(told instanceof Readable)) return;
    let text = '';
    told.on('error', () => {});
    told.on('data', (part: Buffer) => {
      text += part.toString('utf8');
      // Its end is not waited for: `script` keeps the descriptor.
      if (!text.includes('\n')) return;
      told.destroy();
      const [, pid, device] = /^(\d+) (\/dev\/[\w/]+)\n$/.exec(text) ?? [];
      if (device === undefined) return;
      this.#leader = Number(pid);
      this.#device = device;
      this.#apply();
    });
  }

  /** The PID and process group of the command itself; undefined until it has told. */
  get leader(): number | undefined {
    return this.#leader;
  }

  /** The program in it hears of that by SIGWINCH. */
  resize(size: { columns: number; rows: number }): void {
    this.#size = size;
    this.#apply();
  }

  /** One at a time, and always the latest. */
  #apply(): void {
    const size = this.#size;
    if (this.#isBusy || this.#device === undefined || size === undefined) return;
    this.#size = undefined;
    this.#isBusy = true;
    const device = [process.platform === 'linux' ? '-F' : '-f', this.#device];
    const values = ['rows', String(size.rows), 'cols', String(size.columns)];
    // A terminal that has gone needs no size.
    execFile('stty', [...device, ...values], () => {
      this.#isBusy = false;
      this.#apply();
    });
  }
}
