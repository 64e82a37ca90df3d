import type { WatchBreak } from './control.ts';
import type { Match } from './faults.ts';
import type { RequestInfo } from './request-info.ts';
import type { WatchRelay } from './watch-stream.ts';

/** The watches that are currently open through the proxy. */
export class OpenWatches {
  readonly #open = new Map<WatchRelay, RequestInfo>();

  async during(request: RequestInfo, relay: WatchRelay, run: () => Promise<void>): Promise<void> {
    this.#open.set(relay, request);
    try {
      await run();
    } finally {
      this.#open.delete(relay);
    }
  }

  async break(how: WatchBreak, when: Match): Promise<number> {
    const hit = [...this.#open].filter(
      ([, request]) =>
        (when.resource === undefined || when.resource === request.resource) &&
        (when.namespace === undefined || when.namespace === request.namespace),
    );
    await Promise.all(hit.map(([relay]) => relay.break(how)));
    return hit.length;
  }
}
