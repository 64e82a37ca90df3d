import { type ChildProcess, spawn } from 'node:child_process';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { applyCrd } from './apply-crd.ts';
import { type RunningController, reconciles } from './running-controller.ts';
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
export class ControllerProcess implements RunningController {
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
    await reconciles(controller);
    return controller;
  }

  /** Does not wait for leadership: the controller may have to stand by. */
  static async launch(
    engine: Engine,
    namespace: string,
    options: ControllerOptions = {},
  ): Promise<ControllerProcess> {
    await install(engine);
    const command = trimtabCommand(['controller', ...controllerFlags(engine, namespace, options)], options);
    const child = spawn(...command, { stdio: ['ignore', 'ignore', 'pipe'] });
    return new ControllerProcess(child);
  }

  get log(): string {
    return this.#log;
  }

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

/** The flags of `trimtab controller` for a test. */
export function controllerFlags(
  engine: Engine,
  namespace: string,
  { kubeconfig = engine.kubeconfig, flags = [], homeNamespace = namespace }: ControllerOptions,
): string[] {
  const where = ['--kubeconfig', kubeconfig, '--namespace', namespace, '--home-namespace', homeNamespace];
  const coalesce = flags.includes('--coalesce') ? [] : ['--coalesce', '200ms'];
  // A story waits itself until the API server enforces the policies that it has installed just before.
  const settled = ['--policies-settle', '0s'];
  return [...where, '--health-port', '0', ...settled, ...coalesce, ...flags];
}

const installed = new WeakMap<Engine, Promise<void>>();

/** Installs what `trimtab controller` needs before it starts, once per engine. */
export function install(engine: Engine): Promise<void> {
  const under = installed.get(engine) ?? engine.connect().then(applyCrd);
  installed.set(engine, under);
  return under;
}
