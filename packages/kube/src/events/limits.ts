/** Limits for events. The defaults are those of client-go, so events look familiar to users. */
export interface EventLimits {
  /** Number of different messages (same object, type and reason) from which further messages are combined. */
  similarMessages: number;
  /** Similar events that are further apart are not combined. */
  similarWithinMs: number;
  /** Maximum burst of writes for one object. */
  burst: number;
  /** Time until one more write for the object is allowed. */
  refillMs: number;
  /** Maximum number of objects, of groups and of events in memory. */
  remembered: number;
  /** Maximum number of events that wait to be written. */
  queued: number;
}

export const defaultLimits: EventLimits = {
  similarMessages: 10,
  similarWithinMs: 10 * 60_000,
  burst: 25,
  refillMs: 5 * 60_000,
  remembered: 4096,
  queued: 1000,
};
