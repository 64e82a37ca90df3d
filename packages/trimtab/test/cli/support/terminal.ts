import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { trimtabCommand } from '../../support/trimtab-command.ts';
import { VirtualScreen } from './virtual-screen.ts';

export interface TerminalOptions {
  namespace: string;
  kubeconfig?: string;
  columns?: number;
  rows?: number;
  env?: Record<string, string>;
}

/** Prints the name of the terminal, sets its size, and runs the command in its place. */
const prepare = 'tty; stty rows "$1" cols "$2"; shift 2; exec "$@"';

/** `trimtab` in a real terminal, with what a person sees of it. Disposing ends it. */
export class Terminal implements AsyncDisposable {
  readonly screen: VirtualScreen;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<number | null>;
  #device: string | undefined;
  #size: { columns: number; rows: number };
  #received = '';

  private constructor(child: ChildProcessWithoutNullStreams, columns: number, rows: number) {
    this.screen = new VirtualScreen(columns, rows);
    this.#size = { columns, rows };
    this.#child = child;
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.#take(text));
    this.#ended = once(child, 'close').then(([code]) => code as number | null);
  }

  static run(
    engine: Pick<Engine, 'kubeconfig'>,
    args: readonly string[],
    options: TerminalOptions,
  ): Terminal {
    const { namespace, kubeconfig = engine.kubeconfig, columns = 100, rows = 30 } = options;
    const [file, rest] = trimtabCommand([...args, '--namespace', namespace]);
    const words = ['sh', '-c', prepare, 'sh', String(rows), String(columns), file, ...rest];
    const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
    // Without `exec`, Ctrl-C would end the shell around the program as well, and the shell's exit code would be seen.
    const command = `exec ${quoted}`;
    const child = spawn('script', ['--quiet', '--flush', '--return', '--command', command, '/dev/null'], {
      env: {
        ...{ PATH: process.env['PATH'], HOME: process.env['HOME'], KUBECONFIG: kubeconfig },
        ...{ LANG: 'C.UTF-8', TERM: 'xterm', NO_COLOR: '1', ...options.env },
      },
    });
    return new Terminal(child, columns, rows);
  }

  /** Waits until a person sees this on the screen. */
  async shows(what: string | RegExp): Promise<void> {
    const isShown = () =>
      typeof what === 'string' ? this.screen.text.includes(what) : what.test(this.screen.text);
    await waitFor(`the terminal shows ${what}`, async () =>
      isShown() ? { met: true } : { seen: this.screen.text },
    );
  }

  type(text: string): void {
    this.#child.stdin.write(text);
  }

  pressCtrlC(): void {
    this.type('\x03');
  }

  /** Changes the size as a user does who drags the window. The kernel sends SIGWINCH to the program. */
  resize(size: { columns: number } | { rows: number }): void {
    const { columns, rows } = { ...this.#size, ...size };
    this.#size = { columns, rows };
    this.screen.resize(columns, rows);
    const setting = 'columns' in size ? ['cols', String(columns)] : ['rows', String(rows)];
    execFileSync('stty', ['-F', this.#device ?? '', ...setting]);
  }

  /** Waits for the end of the program. Returns its exit code. */
  ended(): Promise<number | null> {
    return this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The end of the terminal ends the program in it.
    this.#child.kill();
    await this.#ended;
  }

  #take(text: string): void {
    if (this.#device !== undefined) {
      this.screen.write(text);
      return;
    }
    this.#received += text;
    const end = this.#received.indexOf('\n');
    if (end === -1) return;
    this.#device = this.#received.slice(0, end).trim();
    this.screen.write(this.#received.slice(end + 1));
  }
}
