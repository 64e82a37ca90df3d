import type { KubeClient } from '../client.ts';
import { type Clock, sleep } from '../clock.ts';
import { events } from '../resource.ts';
import { ApiError, isAlreadyExists, isNotFound, NetworkError } from '../transport/errors.ts';
import { countedFields, type EventSource, eventNamespace, eventObject, type Tally } from './event-object.ts';

const maxTries = 4;
const firstDelayMs = 250;
const timeoutMs = 10_000;

interface WriterOptions {
  client: KubeClient;
  clock: Clock;
  source: EventSource;
  rename: (tally: Tally) => void;
  /** Ends waiting and requests; what is being written then has failed. */
  signal: AbortSignal;
}

type WriteResult =
  | { outcome: 'created' | 'updated' | 'namespace_gone' }
  | { outcome: 'failed'; error: unknown };

/** Brings one event to the server, with a few retries. Never rejects. */
export class EventWriter {
  readonly #options: WriterOptions;
  /** Tallies that the server has, as far as we know. Weak: the correlator decides how long one is remembered. */
  readonly #onServer = new WeakSet<Tally>();

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  async write(tally: Tally): Promise<WriteResult> {
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

  async #create(tally: Tally): Promise<void> {
    const { client, signal, source } = this.#options;
    await client.create(events, eventObject(tally, source), { signal, timeoutMs, lowPriority: true });
    this.#onServer.add(tally);
  }

  async #patch(tally: Tally): Promise<void> {
    const { client, signal } = this.#options;
    const where = { namespace: eventNamespace(tally.about), name: tally.name };
    const body = countedFields(tally);
    await client.patch(events, where, { type: 'merge', body }, { signal, timeoutMs, lowPriority: true });
  }
}

/**
 * `exists`: the event is there, an earlier try of ours did arrive. `missing`: it expired or was deleted, make it
 * anew. `gone`: its namespace goes away, nobody will look. `later`: the server may take it next time.
 */
type WriteFailure = 'exists' | 'missing' | 'gone' | 'later' | 'refused';

/** What a failed write means for an event. */
function writeFailure(verb: 'create' | 'patch', error: unknown): WriteFailure {
  if (error instanceof NetworkError) return 'later';
  if (!(error instanceof ApiError)) return 'refused';
  if (verb === 'patch' && isNotFound(error)) return 'missing';
  if (verb === 'create' && isAlreadyExists(error)) return 'exists';
  // Creating something answers 404 when its namespace does not exist.
  if (isNotFound(error) || isTerminating(error)) return 'gone';
  return error.status === 429 || error.status >= 500 || error.status === 409 ? 'later' : 'refused';
}

function isTerminating(error: ApiError): boolean {
  return error.body.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false;
}
