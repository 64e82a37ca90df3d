import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { applyCrd } from './apply-crd.ts';

const root = path.resolve(import.meta.dirname, '../..');

export interface ControllerOptions {
  /** As on the command line, beside the namespace. */
  flags?: string[];
  /** Whose kubeconfig it runs with; the administrator's unless told. */
  kubeconfig?: string;
  /** Where its Lease is; the namespace it manages unless told. */
  homeNamespace?: string;
  /** Another copy of `src/bin/trimtab.ts` than the one of this repository. */
  program?: string;
  /** For Node itself, such as `--import`. */
  nodeFlags?: string[];
}

/**
 * `trimtab controller` as its users run it: a process of its own, here for one namespace, so that stories do not
 * meet each other.
 */
export class ControllerProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #log = '';
  #end: string | undefined;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#log += text;
    });
    this.#ended = new Promise((resolve) =>
      child.once('close', (code, signal) => {
        this.#end = `has ended (${signal ?? code})`;
        resolve();
      }),
    );
  }

  static async start(
    engine: Engine,
    namespace: string,
    options: ControllerOptions = {},
  ): Promise<ControllerProcess> {
    const controller = await ControllerProcess.launch(engine, namespace, options);
    await controller.reconciles();
    return controller;
  }

  /** Without waiting for anything: it may well have to stand by. */
  static async launch(
    engine: Engine,
    namespace: string,
    options: ControllerOptions = {},
  ): Promise<ControllerProcess> {
    await install(engine);
    const { kubeconfig = engine.kubeconfig, flags = [], nodeFlags = [], homeNamespace = namespace } = options;
    const args = [
      'controller',
      '--kubeconfig',
      kubeconfig,
      '--namespace',
      namespace,
      '--home-namespace',
      homeNamespace,
    ];
    const coalesce = flags.includes('--coalesce') ? [] : ['--coalesce', '200ms'];
    const quick = ['--health-port', '0', ...coalesce, ...flags];
    const { program = path.join(root, 'src/bin/trimtab.ts') } = options;
    const child = spawn(process.execPath, [...nodeFlags, program, ...args, ...quick], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    return new ControllerProcess(child);
  }

  /** It leads, has seen everything, and does its work. */
  async reconciles(): Promise<void> {
    await waitFor('the controller reconciles', async () =>
      this.#log.includes('"msg":"reconciling"') ? { met: true } : { seen: this.#log.slice(-500) },
    );
  }

  get log(): string {
    return this.#log;
  }

  /** For the error of a wait that ran out: whether it still runs, and the end of its log. */
  describe(): string {
    return `The controller ${this.#end ?? 'runs'}. The end of its log:\n${this.#log.slice(-2_000)}`;
  }

  /** Resolves when the process is gone, for whatever reason. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** As a rolling update of the controller ends it. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#ended;
  }

  /** As a lost node ends it. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}

const installed = new WeakMap<Engine, Promise<void>>();

/** What `trimtab controller` needs in a cluster before it starts: once is enough. */
export function install(engine: Engine): Promise<void> {
  const under = installed.get(engine) ?? engine.connect().then(applyCrd);
  installed.set(engine, under);
  return under;
}
