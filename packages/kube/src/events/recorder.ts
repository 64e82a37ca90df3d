import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { KubeClient } from '../client.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { Logger } from '../log/log.ts';
import type { Registry } from '../metrics/metrics.ts';
import { Correlator } from './correlator.ts';
import { eventMetrics } from './event-metrics.ts';
import type { EventType, ObjectReference, Occurrence, Tally } from './event-object.ts';
import { EventWriter } from './event-writer.ts';
import { type EventLimits, usualLimits } from './limits.ts';

interface RecorderOptions {
  client: KubeClient;
  /** The program, as `kubectl describe` names it under 'From'. */
  component: string;
  /** Which process of it; the host's name, in a pod the pod's, unless told. */
  instance?: string;
  log: Logger;
  metrics?: Registry;
  clock?: Clock;
  limits?: Partial<EventLimits>;
}

export interface EventRecorder {
  /**
   * Tells people about `about`, by an Event that `kubectl describe` and `kubectl events` show. Returns at once
   * and never fails: an event that cannot be written is dropped, counted and logged. `reason` is one word for
   * programs (`RolledBack`), `message` a sentence for people.
   */
  event(about: ObjectReference, type: EventType, reason: string, message: string): void;
  /** Takes no more events; resolves when the waiting ones are written, or dropped after `graceMs`. */
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
  /** Tallies that the server does not have in their present state, the longest waiting first. */
  readonly #waiting = new Set<Tally>();
  readonly #givenUp = new AbortController();
  #draining: Promise<void> | undefined;
  #closed = false;
  #overflowing = false;

  constructor(options: RecorderOptions) {
    const { client, component, instance = hostname(), log, metrics } = options;
    this.#clock = options.clock ?? systemClock;
    this.#log = log;
    this.#limits = { ...usualLimits, ...options.limits };
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

  /** Answers why not, if not. */
  #take(occurrence: Occurrence): Outcome | undefined {
    if (this.#closed) return 'closed';
    const now = { wallClock: this.#clock.now(), monotonic: this.#clock.monotonic() };
    const tally = this.#correlator.count(occurrence, now);
    // What waits will be written with the new count: that costs the object nothing.
    if (this.#waiting.has(tally)) return undefined;
    if (!this.#correlator.maySpend(occurrence.about, now)) return 'spam';
    if (this.#waiting.size >= this.#limits.queued) return 'queue_full';
    this.#waiting.add(tally);
    this.#draining ??= this.#drain();
    return undefined;
  }

  /** One at a time: events tell a story, and its order should be kept. */
  async #drain(): Promise<void> {
    // Whoever called `event` goes on first.
    await Promise.resolve();
    // A Set's iterator also meets what is added while it runs.
    for (const tally of this.#waiting) {
      this.#waiting.delete(tally);
      if (this.#givenUp.signal.aborted) this.#dropped('closed', tally.about, tally.reason);
      else await this.#write(tally);
    }
    this.#overflowing = false;
    this.#draining = undefined;
  }

  async #write(tally: Tally): Promise<void> {
    const result = await this.#writer.write(tally);
    if (result.outcome === 'failed') this.#dropped('failed', tally.about, tally.reason, result.error);
    else this.#count(result.outcome);
  }

  #dropped(outcome: Outcome, about: ObjectReference, reason: string, error?: unknown): void {
    this.#count(outcome);
    // One line for a full queue, not one for each event that did not fit; chatter is dropped without one.
    const quiet = outcome === 'spam' || (outcome === 'queue_full' && this.#overflowing);
    const level = quiet ? 'debug' : 'warn';
    if (outcome === 'queue_full') this.#overflowing = true;
    this.#log[level](
      { object: about, reason, outcome, ...(error === undefined ? {} : { err: error }) },
      'event dropped',
    );
  }
}
