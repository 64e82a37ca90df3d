import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PodFolder, podFolders, podsFolder } from '@trimtab/local-cluster/kubelet/pod/pod-folder.ts';
import type { ProcessIdentity } from '@trimtab/local-cluster/kubelet/runtime/process-identity.ts';
import { inTerminal, Terminal, terminalFd } from '@trimtab/local-cluster/kubelet/runtime/terminal.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';

const program = join(import.meta.dirname, '..', 'main.ts');

/** Runs `npm start` as a separate process with a temporary state folder, which is removed on disposal. */
export class UpProcess implements AsyncDisposable {
  readonly stateDir: string;
  readonly #environment: Record<string, string>;
  #child: ChildProcess | undefined;
  #terminal: Terminal | undefined;
  output = '';
  errors = '';

  private constructor(environment: Record<string, string>, stateDir: string) {
    this.#environment = environment;
    this.stateDir = stateDir;
  }

  /** `environment` is added to the environment of this process. */
  static async inFolder(environment: Record<string, string> = {}): Promise<UpProcess> {
    return new UpProcess(environment, await mkdtemp(join(tmpdir(), 'trimtab-up-')));
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** The processes of the containers, as recorded by the kubelet. */
  containers(): ProcessIdentity[] {
    const folder = podsFolder(join(this.stateDir, 'kubelet'));
    return podFolders(folder).flatMap((uid) =>
      Object.values(new PodFolder(folder, uid).read()?.containers ?? {}).flatMap(
        ({ current }) => current?.process ?? [],
      ),
    );
  }

  get kubeconfig(): string {
    return join(this.stateDir, 'kubeconfig');
  }

  /** Starts the program and waits until it prints its banner. */
  async start(...flags: string[]): Promise<void> {
    this.output = '';
    this.#spawn(flags);
    await this.prints('Trimtab is up');
  }

  /** Starts the program in a terminal, and waits until it prints its banner. Keys are pressed with `press`. */
  async startInTerminal(...flags: string[]): Promise<void> {
    this.output = '';
    const [file = '', ...args] = inTerminal([process.execPath, program, ...this.#arguments(flags)]);
    const child = this.#follow(
      spawn(file, args, {
        stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
        env: { ...process.env, ...this.#environment },
      }),
    );
    this.#terminal = new Terminal(child.stdio[terminalFd]);
    this.#terminal.resize({ columns: 100, rows: 30 });
    await this.prints('Trimtab is up');
  }

  press(key: string): void {
    this.#child?.stdin?.write(key);
  }

  /** Runs the program until it exits and returns its exit code. */
  async run(...flags: string[]): Promise<number | null> {
    const child = this.#spawn(flags);
    return new Promise((resolve) => child.once('close', resolve));
  }

  async prints(text: string | RegExp): Promise<void> {
    await waitFor(
      `it to print ${text}`,
      async () =>
        typeof text === 'string'
          ? this.#seen(this.output.includes(text))
          : this.#seen(text.test(this.output)),
      { timeoutMs: 60_000 },
    );
  }

  /** Sends the signal and returns the exit code; null when the program does not run. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return null;
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    const leader = this.#terminal?.leader;
    if (leader === undefined) child.kill(signal);
    else process.kill(leader, signal);
    return closed;
  }

  /** Waits until the program ends by itself, and returns its exit code. */
  async ended(): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null) return child?.exitCode ?? null;
    return new Promise((resolve) => child.once('close', resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGTERM');
    await rm(this.stateDir, { recursive: true, force: true });
  }

  #seen(met: boolean): { met: true } | { seen: string } {
    return met ? { met: true } : { seen: `${this.output}\n${this.errors}` };
  }

  #spawn(flags: string[]): ChildProcess {
    return this.#follow(
      spawn(process.execPath, [program, ...this.#arguments(flags)], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...this.#environment },
      }),
    );
  }

  #arguments(flags: string[]): string[] {
    const port = flags.includes('--port') ? [] : ['--port', '0'];
    return ['--state-dir', this.stateDir, ...port, ...flags];
  }

  #follow(child: ChildProcess): ChildProcess {
    child.stdout?.on('data', (part) => {
      this.output += part;
    });
    child.stderr?.on('data', (part) => {
      this.errors += part;
    });
    this.#child = child;
    return child;
  }
}
