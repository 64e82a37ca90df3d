import type { IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { createInterface } from 'node:readline';
import type { ConnectionOptions } from 'node:tls';
import type { ObjectBody } from './http.ts';

export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: ObjectBody;
}

const silenceMs = 20_000;

/** The events of one watch, in the order of arrival. */
export class Watch implements AsyncDisposable {
  readonly response: IncomingMessage;
  readonly #lines: AsyncIterator<string>;

  constructor(response: IncomingMessage) {
    this.response = response;
    // Closing a watch ends its connection, which is not an error.
    response.on('error', () => {});
    this.#lines = createInterface({ input: response })[Symbol.asyncIterator]();
  }

  /** Returns the next events; throws when the server ends the watch or sends nothing for `silenceMs`. */
  async next(count: number): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    while (events.length < count) {
      const event = await this.#event();
      if (event === undefined)
        throw new Error(`The watch ended after ${events.length} of ${count}: ${JSON.stringify(events)}`);
      events.push(event);
    }
    return events;
  }

  /** Returns all events up to the first one for which `last` is true. */
  async until(last: (event: WatchEvent) => boolean): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    for (;;) {
      events.push(...(await this.next(1)));
      if (last(events.at(-1) as WatchEvent)) return events;
    }
  }

  /** Returns all events until the server ends the watch. */
  async rest(): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    for (;;) {
      const event = await this.#event();
      if (event === undefined) return events;
      events.push(event);
    }
  }

  async #event(): Promise<WatchEvent | undefined> {
    const quiet = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => quiet.reject(new Error(`The watch was silent for ${silenceMs} ms.`)),
      silenceMs,
    );
    try {
      const { value, done } = await Promise.race([this.#lines.next(), quiet.promise]);
      return done ? undefined : JSON.parse(value);
    } finally {
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.response.destroy();
  }
}

/** The server responded with an error instead of a stream. */
export class WatchRefused extends Error {
  readonly code: number;
  readonly text: string;

  constructor(code: number, text: string) {
    super(`The watch was refused: ${code} ${text}`);
    this.code = code;
    this.text = text;
  }
}

/** Opens a watch on a new connection. Throws WatchRefused when the response is not a stream. */
export function openWatch(options: RequestOptions & Pick<ConnectionOptions, 'session'>): Promise<Watch> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...options, agent: false }, (response) => {
      if (response.statusCode === 200) return resolve(new Watch(response));
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => reject(new WatchRefused(response.statusCode ?? 0, text)));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** Short forms of events: `ADDED foo`. */
export function told(events: readonly WatchEvent[]): string[] {
  return events.map(({ type, object }) => `${type} ${object.metadata.name}`);
}
