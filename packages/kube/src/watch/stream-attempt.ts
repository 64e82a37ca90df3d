import type { WatchStream } from '../client.ts';
import type { Clock } from '../clock.ts';
import { attemptThatThrew, Interruption } from './failure.ts';
import type { LivenessStamp } from './health.ts';
import type { Attempt } from './next-move.ts';
import { type Incoming, readEvent } from './read-event.ts';
import type { Store } from './store.ts';
import { type StreamStep, stepStream } from './stream-step.ts';
import type { SyncPass } from './sync-pass.ts';
import { selectionOf, type WatchedCollection, type WatchTimings } from './watched-collection.ts';

/** Start of a stream: a mark to resume from, or a sync pass that receives the initial events. */
export type StreamStart<T> = { mark: string } | { pass: SyncPass<T> };

export interface StreamContext<T> {
  collection: WatchedCollection<T>;
  store: Store<T, string>;
  clock: Clock;
  stamp: LivenessStamp;
  timings: WatchTimings;
  random: () => number;
  /** Called when the initial events have ended and the cache is complete. */
  onSynced(): void;
  /** Called when the stream delivered an event or has been open long enough to reset earlier failures. */
  onSteady(): void;
  onEvent(incoming: Incoming): void;
}

/** A stream that has been open this long counts as successful, even without events. */
const steadyAfterMs = 1_000;

/** One stream from its opening to its end. Applies events to the store and returns the result of the attempt. */
export class StreamAttempt<T> {
  readonly #context: StreamContext<T>;
  readonly #controller: AbortController;
  #mark: string | undefined;
  #pass: SyncPass<T> | undefined;
  #progressed = false;

  constructor(context: StreamContext<T>, start: StreamStart<T>, controller: AbortController) {
    this.#context = context;
    this.#controller = controller;
    if ('pass' in start) this.#pass = start.pass;
    else this.#mark = start.mark;
  }

  /** Undefined until the cache is complete. */
  get mark(): string | undefined {
    return this.#mark;
  }

  get during(): 'sync' | 'follow' {
    return this.#pass ? 'sync' : 'follow';
  }

  async run(): Promise<{ attempt: Attempt; error?: unknown }> {
    const { clock, stamp, timings } = this.#context;
    const { signal } = this.#controller;
    const withInitialEvents = this.#pass !== undefined;
    const startedAt = clock.monotonic();
    let opened = false;
    const stopLooking = detectSilence(
      clock,
      () => Math.max(startedAt, stamp.activityAt),
      () => (opened && !this.#pass ? timings.silenceMs : timings.initialSilenceMs),
      () => this.#controller.abort(new Interruption('silent')),
    );
    let cancelSteady = () => {};
    try {
      const stream = await this.#open();
      opened = true;
      stamp.active();
      cancelSteady = clock.after(steadyAfterMs, () => this.#context.onSteady());
      try {
        for await (const line of stream.events) {
          if (signal.aborted) break;
          stamp.active();
          const end = this.#take(readEvent(line));
          if (end) return { attempt: end };
        }
      } finally {
        stream.close();
      }
      signal.throwIfAborted();
      const livedMs = clock.monotonic() - startedAt;
      return { attempt: { ended: 'by-server', progressed: this.#progressed, livedMs } };
    } catch (error) {
      return { attempt: attemptThatThrew(error, signal.reason, withInitialEvents), error };
    } finally {
      cancelSteady();
      stopLooking();
    }
  }

  #open(): Promise<WatchStream> {
    const { collection, timings, random } = this.#context;
    const { min, max } = timings.streamSeconds;
    return collection.client.watch(collection.resource, {
      ...selectionOf(collection),
      signal: this.#controller.signal,
      timeoutSeconds: Math.round(min + random() * (max - min)),
      ...(this.#mark === undefined ? { sendInitialEvents: true } : { resourceVersion: this.#mark }),
    });
  }

  /** Applies one line. Returns the result of the attempt when the stream cannot continue. */
  #take(incoming: Incoming): Attempt | undefined {
    this.#context.onEvent(incoming);
    if (this.#pass) return this.#takeInitial(this.#pass, incoming);
    const { store, collection } = this.#context;
    const cached = incoming.kind === 'object' ? store.versionOf(incoming.key) : undefined;
    const step = stepStream(this.#mark ?? '', incoming, cached);
    if (step.do === 'relist' || step.do === 'fail') return endedBy(step);
    if (step.do === 'ignore') return undefined;
    if (incoming.kind === 'object') {
      if (step.do === 'put') store.put(incoming.key, incoming.version, collection.transform(incoming.object));
      if (step.do === 'remove') store.remove(incoming.key);
    }
    // The mark moves after the store: when the transform throws, the object must be received again.
    this.#mark = step.mark;
    if (!this.#progressed) this.#context.onSteady();
    this.#progressed = true;
    return undefined;
  }

  #takeInitial(pass: SyncPass<T>, incoming: Incoming): Attempt | undefined {
    const step = pass.takeInitialEvent(incoming);
    if (step.do === 'relist' || step.do === 'fail') return endedBy(step);
    if (step.do === 'synced') {
      pass.finish(step.mark);
      this.#pass = undefined;
      this.#mark = step.mark;
      this.#context.onSynced();
    }
    return undefined;
  }
}

function endedBy(step: Extract<StreamStep, { do: 'relist' | 'fail' }>): Attempt {
  if (step.do === 'relist')
    return step.cause === 'gone' ? { ended: 'gone' } : { ended: 'untrusted', cause: step.cause };
  const { retryAfterSeconds } = step;
  return {
    ended: 'failed',
    code: String(step.code),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** Calls `onSilence` when `lastActivity` is more than `limit` ago. The timer fires only when that is possible. */
function detectSilence(
  clock: Clock,
  lastActivity: () => number,
  limit: () => number,
  onSilence: () => void,
): () => void {
  let cancel: () => void;
  const look = () => {
    const left = lastActivity() + limit() - clock.monotonic();
    if (left <= 0) onSilence();
    else cancel = clock.after(left, look);
  };
  cancel = clock.after(limit(), look);
  return () => cancel();
}
