import type { WatchEvent } from '@trimtab/kube/wire.ts';
import type { Verb } from './request-info.ts';

/** What may happen to a request as a whole. Opening a watch is a request, too. */
export type RequestFault =
  /** Answered by the proxy, never forwarded. A `plain` 429 is what a server answers that is out of seats. */
  | { kind: 'status'; code: 409 | 410 | 429 | 500 | 503; retryAfterSeconds?: number; plain?: boolean }
  | { kind: 'delay'; ms: number }
  /** Says nothing until `release()`, then goes on; at `boundMs` (30 s) the connection is reset instead. */
  | { kind: 'stall'; at?: 'before' | 'after'; boundMs?: number }
  /** Never forwarded; the connection is reset. */
  | { kind: 'fail-before' }
  /** Forwarded and answered, but the answer is swallowed and the connection reset. */
  | { kind: 'fail-after' };

/** What may happen at one event of a watch that is open. */
export type EventFault =
  /** This event and all after it arrive late, in order. */
  | { kind: 'delay-event'; ms: number }
  /** A real API server loses events only together with the connection: that is `thenCut`. */
  | { kind: 'drop-event'; thenCut?: boolean }
  | { kind: 'repeat-event' }
  /** Changes places with the event after it. */
  | { kind: 'reorder-event' }
  /** The connection is reset in place of this event, or in the middle of its line. */
  | { kind: 'cut-watch'; midLine?: boolean }
  /** The event is delivered, then the watch ends as it does when its time is up. */
  | { kind: 'end-watch' }
  /** In place of the event: an ERROR event 410, and the end. */
  | { kind: 'expire-watch' }
  /** The stream stays open and says nothing until `release()`; at `boundMs` (30 s) it is reset. */
  | { kind: 'stall-watch'; boundMs?: number };

export type Fault = RequestFault | EventFault;

/** Which requests, or which events of which watches; what is left out matches everything. */
export interface Match {
  /** `write` is every verb that changes something that lasts. Event faults imply `watch`. */
  verb?: Verb | 'write';
  resource?: string;
  subresource?: string;
  /** Of the request; for event faults, of the object in the event. */
  namespace?: string;
  name?: string;
  /** Writes only: what `siteOf` calls them; `*` is every write that it has a name for. */
  site?: string;
  /** Event faults only. Without it: any but BOOKMARK, whose moment is the server's own choice. */
  event?: WatchEvent['type'];
  /** From the n-th match on, counted from 1. */
  nth?: number;
  /** Each match is drawn for; the seed decides. */
  probability?: number;
}

export interface Injection {
  when: Match;
  fault: Fault;
  /** How often it may fire: once, unless told; without end when it has a probability. */
  times?: number;
}

const onEvents: Record<EventFault['kind'], true> = {
  'delay-event': true,
  'drop-event': true,
  'repeat-event': true,
  'reorder-event': true,
  'cut-watch': true,
  'end-watch': true,
  'expire-watch': true,
  'stall-watch': true,
};

const onRequests: Record<RequestFault['kind'], true> = {
  status: true,
  delay: true,
  stall: true,
  'fail-before': true,
  'fail-after': true,
};

export function isEventFault(fault: Fault): fault is EventFault {
  return Object.hasOwn(onEvents, fault.kind);
}

/** For injections that come from outside the type checker's reach. */
export function isFaultKind(kind: unknown): kind is Fault['kind'] {
  return typeof kind === 'string' && (Object.hasOwn(onEvents, kind) || Object.hasOwn(onRequests, kind));
}
