import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { type ControllerOptions, ControllerProcess } from '../../support/controller-process.ts';

/**
 * The successor of a killed leader waits for the Lease duration. It is long enough that a leader on a busy machine
 * does not lose the Lease repeatedly, which would prevent all reconciliations.
 */
const leaseFlags = ['--lease-duration', '5s', '--renew-deadline', '4s', '--retry-period', '500ms'];
const removal = ['--remove-unused-after', '2s'];

/** Controllers of one namespace. A controller that exits is restarted, as a kubelet does. */
export class SupervisedControllers {
  readonly #engine: Engine;
  readonly #namespace: string;
  readonly #options: ControllerOptions;
  readonly #running = new Set<ControllerProcess>();
  #closing = false;
  /** Number of restarts after an exit. */
  restarts = 0;

  constructor(engine: Engine, namespace: string, options: ControllerOptions) {
    this.#engine = engine;
    this.#namespace = namespace;
    this.#options = { ...options, flags: [...leaseFlags, ...removal, ...(options.flags ?? [])] };
  }

  get running(): ControllerProcess[] {
    return [...this.#running];
  }

  /** Starts a controller; `otherwise` overrides the common options. */
  async start(otherwise: ControllerOptions = {}): Promise<ControllerProcess> {
    const options = { ...this.#options, ...otherwise };
    const controller = await ControllerProcess.launch(this.#engine, this.#namespace, options);
    this.#running.add(controller);
    void controller.ended.then(async () => {
      if (!this.#running.delete(controller) || this.#closing) return;
      this.restarts += 1;
      await this.start(otherwise);
    });
    return controller;
  }

  /** Kills these controllers, or all, without restarting them. */
  async kill(...those: ControllerProcess[]): Promise<void> {
    const victims = those.length === 0 ? this.running : those;
    for (const victim of victims) this.#running.delete(victim);
    await Promise.all(victims.map((victim) => victim.kill()));
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.kill();
  }

  /** The end of the logs of all running controllers, for the error of a test. */
  logs(): string {
    return this.running.map(({ log }) => log.split('\n').slice(-15).join('\n')).join('\n---\n');
  }
}
