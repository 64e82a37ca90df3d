import type { KubeClient } from '../client.ts';
import { type Clock, sleep } from '../clock.ts';
import { events } from '../resource.ts';
import { ApiError, isAlreadyExists, isNotFound, NetworkError } from '../transport/errors.ts';
import {
  countedFields,
  type EventSource,
  type EventTally,
  eventNamespace,
  eventObject,
} from './event-object.ts';

const maxTries = 4;
const firstDelayMs = 250;
const timeoutMs = 10_000;

interface WriterOptions {
  client: KubeClient;
  clock: Clock;
  source: EventSource;
  rename: (tally: EventTally) => void;
  /** Cancels delays and requests; a write in progress then fails. */
  signal: AbortSignal;
}

type WriteResult =
  | { outcome: 'created' | 'updated' | 'namespace_gone' }
  | { outcome: 'failed'; error: unknown };

/** Writes events to the server, with a limited number of retries. Never rejects. */
export class EventWriter {
  readonly #options: WriterOptions;
  /** Tallies with an Event on the server. Weak, because the correlator decides how long a tally is kept. */
  readonly #onServer = new WeakSet<EventTally>();

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  async write(tally: EventTally): Promise<WriteResult> {
    const { clock, rename, signal } = this.#options;
    let delayMs = firstDelayMs;
    let recreated = false;
    for (let tries = 1; ; ) {
      const verb = this.#onServer.has(tally) ? 'patch' : 'create';
      try {
        await (verb === 'patch' ? this.#patch(tally) : this.#create(tally));
        return { outcome: verb === 'patch' ? 'updated' : 'created' };
      } catch (error) {
        const failure = signal.aborted ? 'refused' : writeFailure(verb, error);
        if (failure === 'gone') return { outcome: 'namespace_gone' };
        if (failure === 'exists') this.#onServer.add(tally);
        else if (failure === 'missing' && !recreated) {
          recreated = true;
          this.#onServer.delete(tally);
          rename(tally);
        } else if (failure !== 'later' || tries++ >= maxTries) return { outcome: 'failed', error };
        else {
          await sleep(clock, delayMs * (0.5 + Math.random()), signal).catch(() => {});
          delayMs *= 2;
        }
      }
    }
  }

  async #create(tally: EventTally): Promise<void> {
    const { client, signal, source } = this.#options;
    await client.create(events, eventObject(tally, source), { signal, timeoutMs, lowPriority: true });
    this.#onServer.add(tally);
  }

  async #patch(tally: EventTally): Promise<void> {
    const { client, signal } = this.#options;
    const where = { namespace: eventNamespace(tally.about), name: tally.name };
    const body = countedFields(tally);
    await client.patch(events, where, { type: 'merge', body }, { signal, timeoutMs, lowPriority: true });
  }
}

/**
 * `exists`: an earlier attempt has created the Event; patch it. `missing`: the Event expired or was deleted; create
 * it again. `gone`: the namespace is terminating or missing; drop the event. `later`: the failure is temporary;
 * retry. `refused`: the failure is permanent.
 */
type WriteFailure = 'exists' | 'missing' | 'gone' | 'later' | 'refused';

/** Classifies a failed write. */
function writeFailure(verb: 'create' | 'patch', error: unknown): WriteFailure {
  if (error instanceof NetworkError) return 'later';
  if (!(error instanceof ApiError)) return 'refused';
  if (verb === 'patch' && isNotFound(error)) return 'missing';
  if (verb === 'create' && isAlreadyExists(error)) return 'exists';
  // The server responds to a create with 404 when the namespace does not exist.
  if (isNotFound(error) || isTerminating(error)) return 'gone';
  return error.status === 429 || error.status >= 500 || error.status === 409 ? 'later' : 'refused';
}

function isTerminating(error: ApiError): boolean {
  return error.body.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false;
}
