import type { ServerResponse } from 'node:http';
import type { Clock } from '@trimtab/kube/clock.ts';

/** How a stall ended: the test released it, its time limit passed, or the client disconnected. */
export type StallEnd = 'released' | 'bound' | 'gone';

/** Requests and watches that are stalled until the test releases them. */
export class Stalls {
  readonly #clock: Clock;
  readonly #waiting = new Set<(end: StallEnd) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of current stalls. */
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
