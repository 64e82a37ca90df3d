import { type ChildProcess, spawn } from 'node:child_process';
import { ViewProblem } from './plan-view.ts';
import type { MountTools } from './probe-mounts.ts';

const longestComplaint = 2_000;

/** A shell in a mount namespace of its own that shows this machine, and waits to be told what to mount besides. */
export class BlankView {
  readonly #shell: ChildProcess;
  readonly #ended: Promise<Error | undefined>;
  readonly #said = { blank: Promise.withResolvers<void>(), ready: Promise.withResolvers<void>() };
  #complaint = '';
  #isOver = false;

  constructor(script: string, tools: MountTools) {
    const userOptions = tools.user === undefined ? [] : ['--user', '--map-root-user'];
    const args = [...userOptions, '--mount', '--propagation', 'private', '--', 'sh', script];
    this.#shell = spawn(tools.unshare, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: tools.path, LC_ALL: 'C' },
    });
    this.#ended = endOf(this.#shell);
    this.#listen();
  }

  get pid(): number {
    return this.#shell.pid ?? 0;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when all of this machine is there. Rejects with a ViewProblem. */
  get isBlank(): Promise<void> {
    return this.#said.blank.promise;
  }

  /** Mounts by a table, or nothing; when it resolves, the namespace can be taken hold of. Rejects with a ViewProblem. */
  finish(table: string): Promise<void> {
    this.#shell.stdin?.write(`${table}\n`);
    return this.#said.ready.promise;
  }

  /** The shell goes; so does its namespace, unless somebody holds it. */
  async close(): Promise<void> {
    this.#shell.stdin?.destroy();
    await this.#ended;
  }

  kill(): void {
    this.#shell.kill('SIGKILL');
  }

  #listen(): void {
    let output = '';
    this.#shell.stdout?.on('data', (data: Buffer) => {
      output += data.toString();
      for (const word of ['blank', 'ready'] as const)
        if (output.includes(`${word}\n`)) this.#said[word].resolve();
    });
    this.#shell.stderr?.on('data', (data: Buffer) => {
      this.#complaint = (this.#complaint + data.toString()).slice(0, longestComplaint);
    });
    // It may be gone before it was told anything; its end says why.
    this.#shell.stdin?.on('error', () => {});
    void this.#ended.then((error) => {
      this.#isOver = true;
      const [why = ''] = this.#complaint.trim().split('\n');
      const text = why === '' ? String(error ?? 'the shell ended') : why;
      const problem = new ViewProblem(`the container's view of the files cannot be made: ${text}`);
      for (const each of Object.values(this.#said)) each.reject(problem);
    });
    // Whoever waits for one of them hears of it.
    for (const { promise } of Object.values(this.#said)) promise.catch(() => {});
  }
}

/** Resolves, never rejects: with the error when there is one. */
function endOf(shell: ChildProcess): Promise<Error | undefined> {
  return new Promise((resolve) => {
    let failure: Error | undefined;
    shell.once('error', (error) => {
      failure = error;
      if (shell.pid === undefined) resolve(failure);
    });
    shell.once('close', () => resolve(failure));
  });
}
