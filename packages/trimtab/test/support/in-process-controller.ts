import { EventEmitter } from 'node:events';
import { inspect } from 'node:util';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { run } from '../../src/bin/controller.ts';
import { type ControllerOptions, controllerFlags, install } from './controller-process.ts';
import { type RunningController, reconciles } from './running-controller.ts';

/**
 * `trimtab controller` in the process of the test. It needs less CPU time than its own process, because its code is
 * compiled once for all tests of a worker. It cannot be killed. Vitest reports its unhandled errors.
 */
export class InProcessController implements RunningController {
  readonly #signals = new EventEmitter();
  readonly #ended: Promise<void>;
  #log = '';
  #exitCode: number | undefined;
  #isStopping = false;

  private constructor(flags: string[]) {
    this.#ended = new Promise((resolve) => {
      const exit = (code: number) => {
        this.#exitCode = code;
        resolve();
      };
      const write = (text: string) => {
        this.#log += text;
      };
      const on = (event: string, listener: () => void) => this.#signals.on(event, listener);
      run(flags, { on, exit, logDestination: { write } }).catch((error: unknown) => {
        write(inspect(error));
        exit(1);
      });
    });
  }

  static async start(
    engine: Engine,
    namespace: string,
    options: ControllerOptions,
  ): Promise<InProcessController> {
    await install(engine);
    const controller = new InProcessController(controllerFlags(engine, namespace, options));
    try {
      await reconciles(controller);
    } catch (error) {
      await controller.stop();
      throw error;
    }
    return controller;
  }

  get log(): string {
    return this.#log;
  }

  describe(): string {
    const state = this.#exitCode === undefined ? 'runs' : `has ended (${this.#exitCode})`;
    return `The controller ${state}. The end of its log:\n${this.#log.slice(-2_000)}`;
  }

  /** Throws when the controller has ended with an error, or did not shut down completely. */
  async stop(): Promise<void> {
    // A second signal would end the shutdown before it is complete.
    if (!this.#isStopping) this.#signals.emit('SIGTERM');
    this.#isStopping = true;
    await this.#ended;
    if (this.#exitCode !== 0) throw new Error(this.describe());
  }
}
