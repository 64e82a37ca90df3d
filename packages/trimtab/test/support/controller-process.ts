import { type ChildProcess, spawn } from 'node:child_process';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { applyCrd } from './apply-crd.ts';
import { trimtabCommand } from './trimtab-command.ts';

export interface ControllerOptions {
  /** Command-line flags in addition to the namespace. */
  flags?: string[];
  /** Path of the kubeconfig; defaults to the administrator's. */
  kubeconfig?: string;
  /** Namespace of the Lease; defaults to the managed namespace. */
  homeNamespace?: string;
  /** Path of another copy of `src/bin/trimtab.ts`; defaults to the one of this repository. */
  program?: string;
  /** Flags for Node.js, for example `--import`. */
  nodeFlags?: string[];
}

/**
 * A process of `trimtab controller`, as users run it. Each process manages one namespace, so tests do not interfere
 * with each other.
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

  /** Does not wait for leadership: the controller may have to stand by. */
  static async launch(
    engine: Engine,
    namespace: string,
    options: ControllerOptions = {},
  ): Promise<ControllerProcess> {
    await install(engine);
    const { kubeconfig = engine.kubeconfig, flags = [], homeNamespace = namespace } = options;
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
    const command = trimtabCommand([...args, ...quick], options);
    const child = spawn(...command, { stdio: ['ignore', 'ignore', 'pipe'] });
    return new ControllerProcess(child);
  }

  /** Waits until the controller is the leader, its cache is in sync and its reconcilers run. */
  async reconciles(): Promise<void> {
    await waitFor('the controller reconciles', async () =>
      this.#log.includes('"msg":"reconcilers started"') ? { met: true } : { seen: this.#log.slice(-500) },
    );
  }

  get log(): string {
    return this.#log;
  }

  /** State of the process and the end of its log, for the error of a wait that timed out. */
  describe(): string {
    return `The controller ${this.#end ?? 'runs'}. The end of its log:\n${this.#log.slice(-2_000)}`;
  }

  /** Resolves when the process has ended for any reason. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Terminates the process with SIGTERM, as a rolling update does. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#ended;
  }

  /** Kills the process with SIGKILL, as the loss of a node does. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}

const installed = new WeakMap<Engine, Promise<void>>();

/** Installs what `trimtab controller` needs before it starts, once per engine. */
export function install(engine: Engine): Promise<void> {
  const under = installed.get(engine) ?? engine.connect().then(applyCrd);
  installed.set(engine, under);
  return under;
}
