import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { KubeClient } from '../client.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { Logger } from '../log/log.ts';
import type { Registry } from '../metrics/metrics.ts';
import { Correlator } from './correlator.ts';
import { eventMetrics } from './event-metrics.ts';
import type { EventTally, EventType, ObjectReference, Occurrence } from './event-object.ts';
import { EventWriter } from './event-writer.ts';
import { defaultLimits, type EventLimits } from './limits.ts';

interface RecorderOptions {
  client: KubeClient;
  /** Name of the program, shown by `kubectl describe` in the column From. */
  component: string;
  /** Instance of the program. Defaults to the host name, which is the pod name in a pod. */
  instance?: string;
  log: Logger;
  metrics?: Registry;
  clock?: Clock;
  limits?: Partial<EventLimits>;
}

export interface EventRecorder {
  /**
   * Records an Event for the object `about`, which `kubectl describe` and `kubectl events` show. Returns immediately
   * and never throws: an event that cannot be written is dropped, counted and logged. `reason` is a word in CamelCase
   * for programs (`RolledBack`), `message` a sentence for people.
   */
  event(about: ObjectReference, type: EventType, reason: string, message: string): void;
  /** Stops accepting events. Resolves when the queued events are written, or dropped after `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

type Outcome = 'created' | 'updated' | 'spam' | 'queue_full' | 'namespace_gone' | 'failed' | 'closed';

export function createEventRecorder(options: RecorderOptions): EventRecorder {
  return new Recorder(options);
}

class Recorder implements EventRecorder {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #limits: EventLimits;
  readonly #correlator: Correlator;
  readonly #writer: EventWriter;
  readonly #count: (outcome: Outcome) => void;
  /** Tallies whose current state is not yet on the server, oldest first. */
  readonly #waiting = new Set<EventTally>();
  readonly #givenUp = new AbortController();
  #draining: Promise<void> | undefined;
  #closed = false;
  #overflowing = false;

  constructor(options: RecorderOptions) {
    const { client, component, instance = hostname(), log, metrics } = options;
    this.#clock = options.clock ?? systemClock;
    this.#log = log;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#correlator = new Correlator(this.#limits, () => randomBytes(8).toString('hex'));
    this.#writer = new EventWriter({
      client,
      clock: this.#clock,
      source: { component, instance },
      rename: (tally) => this.#correlator.rename(tally),
      signal: this.#givenUp.signal,
    });
    const counter = metrics && eventMetrics(metrics);
    this.#count = (outcome) => counter?.inc({ outcome });
  }

  event(about: ObjectReference, type: EventType, reason: string, message: string): void {
    try {
      const refusal = this.#take({ about, type, reason, message });
      if (refusal !== undefined) this.#dropped(refusal, about, reason);
    } catch (error) {
      this.#dropped('failed', about, reason, error);
    }
  }

  async close(graceMs = 2_000): Promise<void> {
    this.#closed = true;
    const cancel = this.#clock.after(graceMs, () => this.#givenUp.abort());
    await this.#draining;
    cancel();
  }

  /** Queues an occurrence. Returns the reason when the occurrence is dropped. */
  #take(occurrence: Occurrence): Outcome | undefined {
    if (this.#closed) return 'closed';
    const now = { wallClock: this.#clock.now(), monotonic: this.#clock.monotonic() };
    const tally = this.#correlator.count(occurrence, now);
    // A queued tally is written with the new count, so the occurrence does not count against the rate limit.
    if (this.#waiting.has(tally)) return undefined;
    if (!this.#correlator.maySpend(occurrence.about, now)) return 'spam';
    if (this.#waiting.size >= this.#limits.queued) return 'queue_full';
    this.#waiting.add(tally);
    this.#draining ??= this.#drain();
    return undefined;
  }

  /** Writes events one at a time, to keep their order. */
  async #drain(): Promise<void> {
    // Writes after the caller of `event` has continued.
    await Promise.resolve();
    // The iterator of a Set includes tallies that are added during the iteration.
    for (const tally of this.#waiting) {
      this.#waiting.delete(tally);
      if (this.#givenUp.signal.aborted) this.#dropped('closed', tally.about, tally.reason);
      else await this.#write(tally);
    }
    this.#overflowing = false;
    this.#draining = undefined;
  }

  async #write(tally: EventTally): Promise<void> {
    const result = await this.#writer.write(tally);
    if (result.outcome === 'failed') this.#dropped('failed', tally.about, tally.reason, result.error);
    else this.#count(result.outcome);
  }

  #dropped(outcome: Outcome, about: ObjectReference, reason: string, error?: unknown): void {
    this.#count(outcome);
    // A full queue is logged once, not for each dropped event. Rate-limited events are logged at level debug only.
    const quiet = outcome === 'spam' || (outcome === 'queue_full' && this.#overflowing);
    const level = quiet ? 'debug' : 'warn';
    if (outcome === 'queue_full') this.#overflowing = true;
    this.#log[level](
      { object: about, reason, outcome, ...(error === undefined ? {} : { err: error }) },
      'event dropped',
    );
  }
}
