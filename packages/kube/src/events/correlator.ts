import { createHash } from 'node:crypto';
import { LeastRecentlyUsed } from '../limits/least-recently-used.ts';
import { type Bucket, spend } from '../limits/token-bucket.ts';
import { eventName, type ObjectReference, type Occurrence, type Tally } from './event-object.ts';
import type { EventLimits } from './limits.ts';

/** Wall time for what people read, monotonic time for what is decided. */
export interface Moment {
  wallClock: number;
  monotonic: number;
}

const combinedPrefix = '(combined from similar events): ';

/**
 * RequestScheduler what happened into what is written, as client-go does it: the same again is counted, many that differ
 * only in their message are combined, and an object gets no more than its share of writes. No I/O; memory is
 * bounded whatever comes.
 */
export class Correlator {
  readonly #limits: EventLimits;
  readonly #uniquePart: () => string;
  readonly #groups: LeastRecentlyUsed<SimilarEvents>;
  readonly #tallies: LeastRecentlyUsed<Tally>;
  readonly #buckets: LeastRecentlyUsed<Bucket>;

  constructor(limits: EventLimits, uniquePart: () => string) {
    this.#limits = limits;
    this.#uniquePart = uniquePart;
    this.#groups = new LeastRecentlyUsed(limits.remembered);
    this.#tallies = new LeastRecentlyUsed(limits.remembered);
    this.#buckets = new LeastRecentlyUsed(limits.remembered);
  }

  /** The tally that counts this occurrence; the same object each time, for as long as it is remembered. */
  count(occurrence: Occurrence, now: Moment): Tally {
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

  /** Whether one more write about this object is within its share; takes it from the share if so. */
  maySpend(about: ObjectReference, now: Moment): boolean {
    const key = digest(...identityOf(about));
    const { allowed, bucket } = spend(this.#buckets.get(key), this.#limits, now.monotonic);
    this.#buckets.set(key, bucket);
    return allowed;
  }

  /** The server has it no more: the next write makes a new one, under a new name. */
  rename(tally: Tally): void {
    tally.name = eventName(tally.about, this.#uniquePart());
  }

  #newTally(occurrence: Occurrence, now: Moment): Tally {
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

/** Events with the same object, type and reason. `messages` holds digests, so that its size is known. */
interface SimilarEvents {
  readonly messages: readonly string[];
  readonly lastAt: number;
}

interface SimilarityLimits {
  similarMessages: number;
  similarWithinMs: number;
}

/**
 * Whether a message is shown by itself or combined with others like it: the first few different ones stay as
 * they are, for as long as the group is alive, and what comes after them shares one event.
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
