import { type ChildProcess, spawn } from 'node:child_process';
import { ViewProblem } from './plan-view.ts';
import type { MountTools } from './probe-mounts.ts';

const longestComplaint = 2_000;

/** A shell in a new mount namespace that shows this machine's files and waits for the table of further mounts. */
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

  /** Resolves when the namespace shows this machine's files. Rejects with a ViewProblem. */
  get isBlank(): Promise<void> {
    return this.#said.blank.promise;
  }

  /** Mounts the entries of a table, if any. Resolves when the namespace can be opened. Rejects with a ViewProblem. */
  finish(table: string): Promise<void> {
    this.#shell.stdin?.write(`${table}\n`);
    return this.#said.ready.promise;
  }

  /** Ends the shell. Its namespace ends with it unless it is held open. */
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
    // The shell may exit before it reads its input; the reason is reported when it ends.
    this.#shell.stdin?.on('error', () => {});
    void this.#ended.then((error) => {
      this.#isOver = true;
      const [why = ''] = this.#complaint.trim().split('\n');
      const text = why === '' ? String(error ?? 'the setup shell exited') : why;
      const problem = new ViewProblem(`failed to create the mount namespace of the container: ${text}`);
      for (const each of Object.values(this.#said)) each.reject(problem);
    });
    // Callers may wait for only one of the promises; the other must not be reported as unhandled.
    for (const { promise } of Object.values(this.#said)) promise.catch(() => {});
  }
}

/** Resolves with the error, if any; never rejects. */
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
