import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { trimtabCommand } from './trimtab-command.ts';

interface GuideTerminalOptions {
  /** An empty folder, in which the scripts run. */
  folder: string;
  kubectl: string;
  /** Its context has the namespace of the guide. */
  kubeconfig: string;
  /** The editor of `kubectl edit`: a command line that changes the file. */
  editor?: string;
  /** Other programs on the PATH, by name. */
  programs?: Record<string, string>;
  /** Added to the environment. */
  env?: Record<string, string>;
}

export interface ScriptResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs scripts of a guide as a reader does, with `kubectl` and `trimtab` on the PATH. */
export class GuideTerminal {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #running = new Set<ChildProcess>();

  constructor({ folder, kubectl, kubeconfig, editor, programs: others, env }: GuideTerminalOptions) {
    const programs = join(folder, 'bin');
    mkdirSync(programs);
    for (const [name, file] of Object.entries({ kubectl, ...others }))
      symlinkSync(file, join(programs, name));
    const [file, args] = trimtabCommand([]);
    const command = [file, ...args].map((word) => `'${word}'`).join(' ');
    writeFileSync(join(programs, 'trimtab'), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
    this.#folder = folder;
    this.#env = {
      ...process.env,
      ...env,
      KUBECONFIG: kubeconfig,
      PATH: `${programs}${delimiter}${process.env['PATH']}`,
      ...(editor !== undefined && { KUBE_EDITOR: editor }),
    };
  }

  save(file: string, text: string): void {
    writeFileSync(join(this.#folder, file), text);
  }

  run(script: string): Promise<ScriptResult> {
    return this.#spawn('bash', ['-euo', 'pipefail', '-s'], script);
  }

  /** Runs a script in a container, as `kubectl exec -it … -- bash` does for a person. */
  runInContainer(script: string): Promise<ScriptResult> {
    return this.#spawn('kubectl', ['exec', '-i', 'deployment/web', '-c', 'web', '--', 'sh', '-eu'], script);
  }

  /** Ends the scripts that still run, for example a loop that waits for something that does not happen. */
  close(): void {
    for (const { pid } of this.#running) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  }

  #spawn(file: string, args: string[], input: string): Promise<ScriptResult> {
    // In its own process group, so that `close` also ends the commands of the script.
    const child = spawn(file, args, { cwd: this.#folder, env: this.#env, detached: true });
    this.#running.add(child);
    const result: ScriptResult = { code: null, stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        result[stream] += text;
      });
    child.stdin.on('error', () => {}).end(input);
    return new Promise((resolve, reject) => {
      child.on('error', reject).on('close', (code) => {
        this.#running.delete(child);
        resolve({ ...result, code });
      });
    });
  }
}
