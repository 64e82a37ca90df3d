import { execFile, spawnSync } from 'node:child_process';
import { Readable } from 'node:stream';

/** Where a command in a terminal tells which one it is. */
export const terminalFd = 3;

/**
 * The command line that runs a command in a terminal of its own. A pseudo-terminal is util-linux' affair: Node has none.
 * The device is told on a descriptor that the command itself does not get. It comes from this machine: a container whose
 * files are mounted has the terminals, but cannot make one.
 */
export function inTerminal(command: readonly string[]): string[] {
  const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const inside = `tty >&${terminalFd}; exec ${terminalFd}>&-; exec ${quoted}`;
  return ['script', '--quiet', '--flush', '--return', '--echo', 'always', '--command', inside, '/dev/null'];
}

export const noTerminals = 'a terminal needs the program script of util-linux, and this machine has none';

let isKnown: boolean | undefined;

/** Whether commands can have one: the namesakes of other systems know other options. */
export function hasTerminals(): boolean {
  isKnown ??=
    spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;
  return isKnown;
}

/** A terminal that a command runs in, by its device. */
export class Terminal {
  #device: string | undefined;
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
      const device = text.trim();
      if (!/^\/dev\/\w+(\/\w+)*$/.test(device)) return;
      this.#device = device;
      this.#apply();
    });
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
    const values = ['rows', String(size.rows), 'cols', String(size.columns)];
    // A terminal that has gone needs no size.
    execFile('stty', ['-F', this.#device, ...values], () => {
      this.#isBusy = false;
      this.#apply();
    });
  }
}
