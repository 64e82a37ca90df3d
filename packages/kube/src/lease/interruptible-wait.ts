import type { Clock } from '../clock.ts';

/** A sleep that `wake` ends early. A wake-up between two sleeps ends the next sleep immediately. */
export class InterruptibleWait {
  #woken = false;
  #end: (() => void) | undefined;

  wake(): void {
    this.#woken = true;
    this.#end?.();
  }

  async sleep(clock: Clock, ms: number): Promise<void> {
    if (!this.#woken)
      await new Promise<void>((resolve) => {
        const cancel = clock.after(ms, resolve);
        this.#end = () => {
          cancel();
          resolve();
        };
      });
    this.#end = undefined;
    this.#woken = false;
  }
}
