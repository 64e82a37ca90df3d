import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { inTerminal, Terminal, terminalFd } from '@trimtab/local-cluster/kubelet/runtime/terminal.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import type { RecordedEvent, Recording } from './recording.ts';

/** The sequence with which shells mark their prompt for terminals that look for it. It is not visible. */
const promptMark = '\x1b]133;A\x07';
const commandTimeoutMs = 120_000;

export interface ShellOptions {
  columns: number;
  rows: number;
  folder: string;
  /** Time between two keys. */
  typingMs: number;
  /** The whole environment of the shell. */
  env: Record<string, string>;
}

/** A shell in a real terminal whose output is recorded. Commands are typed as a person types them. */
export class RecordedShell implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #size: { columns: number; rows: number };
  readonly #typingMs: number;
  readonly #events: RecordedEvent[] = [];
  #prompts = 0;
  #output = '';

  private constructor(child: ChildProcess, { columns, rows, typingMs }: ShellOptions) {
    this.#child = child;
    this.#size = { columns, rows };
    this.#typingMs = typingMs;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#events.push({ atMs: performance.now(), text });
      this.#output += text;
      this.#prompts = this.#output.split(promptMark).length - 1;
    });
  }

  /** Starts the shell and waits for its prompt. */
  static async start(options: ShellOptions): Promise<RecordedShell> {
    const { columns, rows, folder, env } = options;
    const [file = '', ...args] = inTerminal(['bash', '--norc', '--noprofile', '--noediting', '-i']);
    const child = spawn(file, args, {
      cwd: folder,
      env: { ...env, PS1: `\\[${promptMark}\\]$ `, TERM: 'xterm-256color', HISTFILE: '/dev/null' },
      stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
    });
    const terminal = new Terminal(child.stdio[terminalFd]);
    terminal.resize({ columns, rows });
    const shell = new RecordedShell(child, options);
    await shell.#prompted(1);
    return shell;
  }

  /** Types a command and waits until it ends. The result stays on the screen for `holdMs`. */
  async run(command: string, holdMs: number): Promise<void> {
    const prompts = this.#prompts;
    for (const key of command) await this.#type(key);
    await this.#type('\r');
    await this.#prompted(prompts + 1);
    const last = this.#events.at(-1);
    if (last !== undefined) last.holdMs = holdMs;
  }

  /** All output so far. */
  get recording(): Recording {
    return { ...this.#size, events: [...this.#events] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const closed = new Promise((resolve) => this.#child.once('close', resolve));
    this.#child.stdin?.end('exit\r');
    await closed;
  }

  async #type(key: string): Promise<void> {
    this.#child.stdin?.write(key);
    await delay(this.#typingMs);
  }

  async #prompted(count: number): Promise<void> {
    await waitFor(
      'the prompt of the shell',
      async () => (this.#prompts >= count ? { met: true } : { seen: this.#output.slice(-500) }),
      { timeoutMs: commandTimeoutMs },
    );
  }
}
