import type { WatchEvent } from '@trimtab/kube/wire.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read objects of every shape.
type Event = WatchEvent<any>;

/** A client of a watch that keeps all events it received. */
export class WatchReader {
  readonly events: Event[] = [];
  readonly #abort = new AbortController();
  #ended: 'open' | 'by server' | 'broken' = 'open';

  private constructor() {}

  static async open(url: string, token: string): Promise<WatchReader> {
    const reader = new WatchReader();
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${token}` },
      signal: reader.#abort.signal,
    });
    if (response.status !== 200 || response.body === null)
      throw new Error(`the watch was answered ${response.status}: ${await response.text()}`);
    void reader.#read(response.body).then(
      () => {
        reader.#ended = 'by server';
      },
      () => {
        reader.#ended = 'broken';
      },
    );
    return reader;
  }

  /** Waits for an event that meets the condition, or returns an earlier one. */
  until(what: string, condition: (event: Event) => boolean): Promise<Event> {
    return waitFor(what, async () => {
      const met = this.events.find(condition);
      return met === undefined ? { seen: this.summary() } : { met };
    });
  }

  /** Waits for the end of the watch and returns whether the server ended it or the connection broke. */
  ended(): Promise<'by server' | 'broken'> {
    return waitFor('the watch ends', async () =>
      this.#ended === 'open' ? { seen: this.summary() } : { met: this.#ended },
    );
  }

  /** The events as text, such as `MODIFIED 1.0.1 current`. */
  summary(): string {
    const lines = this.events.map(({ type, object }) => {
      const { version = '', annotations = {} } = object.metadata ?? {};
      const next = annotations['trimtab.dev/being-current'];
      const state = annotations['trimtab.dev/state'] ?? '';
      return `${type} ${version} ${state}${next === undefined ? '' : ` (${next} is being current)`}`.trim();
    });
    return lines.join(', ') || 'nothing';
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const text = new TextDecoder();
    let rest = '';
    for await (const chunk of body) {
      const lines = (rest + text.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      this.events.push(...lines.map((line) => JSON.parse(line)));
    }
  }
}
