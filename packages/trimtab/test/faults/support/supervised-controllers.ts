import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { type ControllerOptions, ControllerProcess } from '../../support/controller-process.ts';

/**
 * A killed leader keeps its successor waiting for the first of these. Long enough that a leader on a busy machine does
 * not lose the Lease by itself, again and again: then nothing would ever be reconciled.
 */
const leaseFlags = ['--lease-duration', '5s', '--renew-deadline', '4s', '--retry-period', '500ms'];

/** Controllers of one namespace; one that ends by itself is started again, as a kubelet would do it. */
export class SupervisedControllers {
  readonly #engine: Engine;
  readonly #namespace: string;
  readonly #options: ControllerOptions;
  readonly #running = new Set<ControllerProcess>();
  #closing = false;
  /** How often one was started again because it had ended by itself. */
  restarts = 0;

  constructor(engine: Engine, namespace: string, options: ControllerOptions) {
    this.#engine = engine;
    this.#namespace = namespace;
    this.#options = { ...options, flags: [...leaseFlags, ...(options.flags ?? [])] };
  }

  get running(): ControllerProcess[] {
    return [...this.#running];
  }

  /** All do as the options say, but for what is said here. */
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

  /** Kills these, or all, with nothing started in their place. */
  async kill(...those: ControllerProcess[]): Promise<void> {
    const victims = those.length === 0 ? this.running : those;
    for (const victim of victims) this.#running.delete(victim);
    await Promise.all(victims.map((victim) => victim.kill()));
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.kill();
  }

  /** The end of what those that run now have logged, for the error of a test. */
  logs(): string {
    return this.running.map(({ log }) => log.split('\n').slice(-15).join('\n')).join('\n---\n');
  }
}
