/** How much may be said. The defaults are those of client-go, so that people see what they are used to. */
export interface EventLimits {
  /** From so many different messages on (same object, type and reason), the rest is combined into one event. */
  similarMessages: number;
  /** Similar events that are further apart than this have nothing to do with each other. */
  similarWithinMs: number;
  /** Writes about one object in one go, and how long until one more is allowed. */
  burst: number;
  refillMs: number;
  /** How many objects, groups and events are remembered each. */
  remembered: number;
  /** How many events may wait to be written. */
  queued: number;
}

export const usualLimits: EventLimits = {
  similarMessages: 10,
  similarWithinMs: 10 * 60_000,
  burst: 25,
  refillMs: 5 * 60_000,
  remembered: 4096,
  queued: 1000,
};
