import type { ServerResponse } from 'node:http';
import type { Clock } from '@trimtab/kube/clock.ts';

/** How a standstill ended: the test let it go, its time was over, or the client is no longer there. */
export type StallEnd = 'released' | 'bound' | 'gone';

/** Requests and watches that stand still until the test lets them go. */
export class Stalls {
  readonly #clock: Clock;
  readonly #waiting = new Set<(end: StallEnd) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many stand still now. */
  get size(): number {
    return this.#waiting.size;
  }

  wait(client: ServerResponse, boundMs: number): Promise<StallEnd> {
    const { promise, resolve } = Promise.withResolvers<StallEnd>();
    const gone = () => finish('gone');
    const cancel = this.#clock.after(boundMs, () => finish('bound'));
    const finish = (end: StallEnd) => {
      cancel();
      client.off('close', gone);
      this.#waiting.delete(finish);
      resolve(end);
    };
    this.#waiting.add(finish);
    client.once('close', gone);
    return promise;
  }

  release(): void {
    for (const finish of [...this.#waiting]) finish('released');
  }
}
