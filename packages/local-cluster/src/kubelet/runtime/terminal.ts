import { execFile, spawnSync } from 'node:child_process';
import { Readable } from 'node:stream';

/** Where a command in a terminal tells its PID and which one it is. */
export const terminalFd = 3;

/**
 * The command line that runs a command in a terminal of its own. Pseudo-terminals are `script`'s affair: Node has none.
 * Both are told on a descriptor that the command itself does not get. It comes from this machine: a container whose
 * files are mounted has the terminals, but cannot make one.
 */
export function inTerminal(command: readonly string[], kind = scriptKind()): string[] {
  const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const inside = `echo "$$ $(tty)" >&${terminalFd}; exec ${terminalFd}>&-; exec ${quoted}`;
  if (kind === 'bsd') return ['script', '-q', '/dev/null', 'sh', '-c', inside];
  return ['script', '--quiet', '--flush', '--return', '--echo', 'always', '--command', inside, '/dev/null'];
}

export const noTerminals = 'a terminal needs the program script, and this machine has none that is known';

type ScriptKind = 'util-linux' | 'bsd' | 'none';

let known: ScriptKind | undefined;

/** Namesakes with other options: macOS has the one of the BSDs, which takes a command as it is and tells no version. */
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

/** Whether commands can have one. */
export function hasTerminals(): boolean {
  return scriptKind() !== 'none';
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
    const values = ['rows', String(size.rows), 'cols', String(size.columns)];
    // A terminal that has gone needs no size.
    execFile('stty', [scriptKind() === 'bsd' ? '-f' : '-F', this.#device, ...values], () => {
      this.#isBusy = false;
      this.#apply();
    });
  }
}
