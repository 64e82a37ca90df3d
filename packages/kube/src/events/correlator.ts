import { createHash } from 'node:crypto';
import { LeastRecentlyUsed } from '../limits/least-recently-used.ts';
import { type Bucket, spend } from '../limits/token-bucket.ts';
import { type EventTally, eventName, type ObjectReference, type Occurrence } from './event-object.ts';
import type { EventLimits } from './limits.ts';

/** Wall time for timestamps, monotonic time for decisions. */
export interface Moment {
  wallClock: number;
  monotonic: number;
}

const combinedPrefix = '(combined from similar events): ';

/**
 * Decides which events are written, as client-go does: repeated events are counted, events that differ only in their
 * message are combined, and writes are rate limited for each object. It performs no I/O, and its memory is bounded.
 */
export class Correlator {
  readonly #limits: EventLimits;
  readonly #uniquePart: () => string;
  readonly #groups: LeastRecentlyUsed<SimilarEvents>;
  readonly #tallies: LeastRecentlyUsed<EventTally>;
  readonly #buckets: LeastRecentlyUsed<Bucket>;

  constructor(limits: EventLimits, uniquePart: () => string) {
    this.#limits = limits;
    this.#uniquePart = uniquePart;
    this.#groups = new LeastRecentlyUsed(limits.remembered);
    this.#tallies = new LeastRecentlyUsed(limits.remembered);
    this.#buckets = new LeastRecentlyUsed(limits.remembered);
  }

  /** Counts an occurrence. Returns the same tally for the same event, until the tally is evicted. */
  count(occurrence: Occurrence, now: Moment): EventTally {
    const { about, message, reason, type } = occurrence;
    const groupKey = digest(...identityOf(about), type, reason);
    const messageKey = digest(about.fieldPath ?? '', message);
    const { combined, group } = joinSimilar(
      this.#groups.get(groupKey),
      messageKey,
      this.#limits,
      now.monotonic,
    );
    this.#groups.set(groupKey, group);
    const key = combined ? groupKey : digest(groupKey, messageKey);
    const known = this.#tallies.get(key);
    const tally = known ?? this.#newTally(occurrence, now);
    tally.count++;
    tally.lastMs = now.wallClock;
    if (combined) tally.message = combinedPrefix + message;
    this.#tallies.set(key, tally);
    return tally;
  }

  /** Takes one token from the rate limit of the object; returns false when the limit is exceeded. */
  maySpend(about: ObjectReference, now: Moment): boolean {
    const key = digest(...identityOf(about));
    const { allowed, bucket } = spend(this.#buckets.get(key), this.#limits, now.monotonic);
    this.#buckets.set(key, bucket);
    return allowed;
  }

  /**
   * Gives the tally a new name, so the next write creates a new Event. Called when the server has deleted the Event.
   */
  rename(tally: EventTally): void {
    tally.name = eventName(tally.about, this.#uniquePart());
  }

  #newTally(occurrence: Occurrence, now: Moment): EventTally {
    const name = eventName(occurrence.about, this.#uniquePart());
    return { ...occurrence, name, count: 0, firstMs: now.wallClock, lastMs: now.wallClock };
  }
}

function identityOf(about: ObjectReference): string[] {
  return [about.apiVersion, about.kind, about.namespace ?? '', about.name, about.uid ?? ''];
}

function digest(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** Events with the same object, type and reason. `messages` holds digests, so its size is bounded. */
interface SimilarEvents {
  readonly messages: readonly string[];
  readonly lastAt: number;
}

interface SimilarityLimits {
  similarMessages: number;
  similarWithinMs: number;
}

/**
 * Decides whether a message gets its own event. The first few different messages of a group get their own events
 * while the group is active; all further messages share one combined event.
 */
function joinSimilar(
  before: SimilarEvents | undefined,
  message: string,
  limits: SimilarityLimits,
  now: number,
): { combined: boolean; group: SimilarEvents } {
  const alive = before !== undefined && now - before.lastAt <= limits.similarWithinMs;
  const messages = alive ? before.messages : [];
  if (messages.includes(message)) return { combined: false, group: { messages, lastAt: now } };
  const combined = messages.length + 1 >= limits.similarMessages;
  return { combined, group: { messages: combined ? messages : [...messages, message], lastAt: now } };
}
