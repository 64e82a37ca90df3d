import type { WatchEvent } from '@trimtab/kube/wire.ts';
import type { Verb } from './request-info.ts';

/** Faults of a whole request. Opening a watch is also a request. */
export type RequestFault =
  /** The proxy responds and never forwards the request. A server without free seats responds with a `plain` 429. */
  | { kind: 'status'; code: 409 | 410 | 429 | 500 | 503; retryAfterSeconds?: number; plain?: boolean }
  | { kind: 'delay'; ms: number }
  /** Waits for `release()`, then continues. After `boundMs` (defaults to 30 s) the connection is reset instead. */
  | { kind: 'stall'; at?: 'before' | 'after'; boundMs?: number }
  /** The request is never forwarded; the connection is reset. */
  | { kind: 'fail-before' }
  /** The request is forwarded; its response is discarded and the connection is reset. */
  | { kind: 'fail-after' };

/** Faults at one event of an open watch. */
export type EventFault =
  /** Delays this event and all later ones, in order. */
  | { kind: 'delay-event'; ms: number }
  /** A real API server loses events only together with the connection: `thenCut` simulates that. */
  | { kind: 'drop-event'; thenCut?: boolean }
  | { kind: 'repeat-event' }
  /** Swaps this event with the next one. */
  | { kind: 'reorder-event' }
  /** Resets the connection instead of sending this event, or in the middle of its line. */
  | { kind: 'cut-watch'; midLine?: boolean }
  /** Delivers the event, then ends the watch as on its timeout. */
  | { kind: 'end-watch' }
  /** Sends an ERROR event with code 410 instead of the event, then ends the watch. */
  | { kind: 'expire-watch' }
  /** Keeps the stream open and silent until `release()`. After `boundMs` (defaults to 30 s) it is reset. */
  | { kind: 'stall-watch'; boundMs?: number };

export type Fault = RequestFault | EventFault;

/** Selects requests, or events of watches. Omitted fields match everything. */
export interface Match {
  /** `write` matches every verb that changes stored objects. Event faults imply `watch`. */
  verb?: Verb | 'write';
  resource?: string;
  subresource?: string;
  /** Namespace of the request. For event faults, namespace of the object in the event. */
  namespace?: string;
  name?: string;
  /** Writes only: the name from `siteOf`. `*` matches every write that has a name. */
  site?: string;
  /** Event faults only. Defaults to every type except BOOKMARK, whose time the server chooses. */
  event?: WatchEvent['type'];
  /** The first match that can fire, counted from 1. */
  nth?: number;
  /** Probability that a match fires, derived from the seed. */
  probability?: number;
}

export interface Injection {
  when: Match;
  fault: Fault;
  /** Maximum number of firings. Defaults to 1, or to no limit when a probability is set. */
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

/** For injections from other processes, which the type checker cannot check. */
export function isFaultKind(kind: unknown): kind is Fault['kind'] {
  return typeof kind === 'string' && (Object.hasOwn(onEvents, kind) || Object.hasOwn(onRequests, kind));
}
