import type { EventFault } from './faults.ts';
import type { EventInfo } from './plan.ts';
import { expiredEventLine } from './status-bodies.ts';

/** The next step on the client's side of a watch. */
export type Step =
  | { do: 'send'; line: string }
  | { do: 'wait'; ms: number }
  /** `entered` is called when the stream is stalled: from then on it can be released. */
  | { do: 'stall'; boundMs: number; entered(): void }
  /** Resets the connection after these bytes of an incomplete line. */
  | { do: 'cut'; partial: string }
  | { do: 'end' };

/** The plan's decision about one event. `fired` is called when the fault has actually been applied. */
export interface Decision {
  fault: EventFault;
  fired(): void;
}

/**
 * Converts the lines of one watch into the steps for the client. The only state is an event that is held to be swapped
 * with the next one.
 */
export class WatchFaults {
  readonly #decide: (event: EventInfo) => Decision | undefined;
  #held: { line: string; fired(): void } | undefined;

  constructor(decide: (event: EventInfo) => Decision | undefined) {
    this.#decide = decide;
  }

  /** Whether an event is held for its successor. It must be flushed when none arrives. */
  get holding(): boolean {
    return this.#held !== undefined;
  }

  next(line: string): Step[] {
    const held = this.#held;
    this.#held = undefined;
    if (held) {
      // A bookmark states that all earlier events were sent: no server sends one before them.
      if (eventInfo(line).type === 'BOOKMARK')
        return [held.line, line].map((each) => ({ do: 'send', line: each }));
      // The successor gets no fault of its own: reordering it as well would undo the swap.
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

  /** Sends the held event when no successor arrived. It does not count as reordered. */
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

/** Reads complete objects, metadata-only objects, and the tables that kubectl requests. */
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
