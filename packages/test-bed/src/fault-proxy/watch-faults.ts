import type { EventFault } from './faults.ts';
import type { EventInfo } from './plan.ts';
import { expiredEventLine } from './status-bodies.ts';

/** What to do next with the client's side of a watch. */
export type Step =
  | { do: 'send'; line: string }
  | { do: 'wait'; ms: number }
  /** `entered` is called when the stream stands still: from then on it can be released. */
  | { do: 'stall'; boundMs: number; entered(): void }
  /** Reset the connection, after these bytes of a line that is never finished. */
  | { do: 'cut'; partial: string }
  | { do: 'end' };

/** What the plan says about one event; `fired` is called when the fault has really been applied. */
export interface Decision {
  fault: EventFault;
  fired(): void;
}

/**
 * RequestScheduler the lines of one watch into what the client gets to see. The only state is an event that waits to
 * change places with the next one.
 */
export class WatchFaults {
  readonly #decide: (event: EventInfo) => Decision | undefined;
  #held: { line: string; fired(): void } | undefined;

  constructor(decide: (event: EventInfo) => Decision | undefined) {
    this.#decide = decide;
  }

  /** An event waits for its successor, and should be flushed when none comes. */
  get holding(): boolean {
    return this.#held !== undefined;
  }

  next(line: string): Step[] {
    const held = this.#held;
    this.#held = undefined;
    if (held) {
      // A bookmark says that all up to it was told: no server sends one before its time.
      if (eventInfo(line).type === 'BOOKMARK')
        return [held.line, line].map((each) => ({ do: 'send', line: each }));
      // The successor is not drawn for again: one fault at a time, or a reordering would be undone by the next.
      held.fired();
      return [
        { do: 'send', line },
        { do: 'send', line: held.line },
      ];
    }
    const decision = this.#decide(eventInfo(line));
    if (!decision) return [{ do: 'send', line }];
    if (decision.fault.kind === 'reorder-event') {
      this.#held = { line, fired: decision.fired };
      return [];
    }
    if (decision.fault.kind === 'stall-watch') {
      const { boundMs = 30_000 } = decision.fault;
      return [
        { do: 'stall', boundMs, entered: decision.fired },
        { do: 'send', line },
      ];
    }
    decision.fired();
    return stepsFor(decision.fault, line);
  }

  /** No successor came: the held event goes out as it is, and does not count as reordered. */
  flush(): Step[] {
    const held = this.#held;
    this.#held = undefined;
    return held ? [{ do: 'send', line: held.line }] : [];
  }
}

type PlainFault = Exclude<EventFault, { kind: 'reorder-event' | 'stall-watch' }>;

function stepsFor(fault: PlainFault, line: string): Step[] {
  switch (fault.kind) {
    case 'delay-event':
      return [
        { do: 'wait', ms: fault.ms },
        { do: 'send', line },
      ];
    case 'drop-event':
      return fault.thenCut ? [{ do: 'cut', partial: '' }] : [];
    case 'repeat-event':
      return [
        { do: 'send', line },
        { do: 'send', line },
      ];
    case 'cut-watch':
      return [{ do: 'cut', partial: fault.midLine ? line.slice(0, Math.ceil(line.length / 2)) : '' }];
    case 'end-watch':
      return [{ do: 'send', line }, { do: 'end' }];
    case 'expire-watch':
      return [{ do: 'send', line: expiredEventLine() }, { do: 'end' }];
  }
}

interface Named {
  metadata?: { namespace?: string; name?: string };
}

/** Reads whole objects, metadata-only ones, and the tables that kubectl asks for. */
export function eventInfo(line: string): EventInfo {
  const event: { type: EventInfo['type']; object?: Named & { rows?: { object?: Named }[] } } =
    JSON.parse(line);
  const metadata = event.object?.rows?.[0]?.object?.metadata ?? event.object?.metadata;
  return {
    type: event.type,
    ...(metadata?.namespace === undefined ? {} : { namespace: metadata.namespace }),
    ...(metadata?.name === undefined ? {} : { name: metadata.name }),
  };
}
