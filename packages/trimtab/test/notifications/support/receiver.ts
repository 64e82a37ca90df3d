import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The body as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every format.
  json: any;
  answered: number | 'nothing';
}

/** A receiver of web hooks on a free port. `answer` decides the status of each response, or that there is none. */
export class Receiver implements AsyncDisposable {
  readonly received: Received[] = [];
  answer: (received: Received) => number | 'nothing' = () => 202;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (part) => {
        body += part;
      });
      request.on('end', () => {
        const { url: path = '', headers } = request;
        const received: Received = { path, headers, body, json: JSON.parse(body), answered: 'nothing' };
        received.answered = this.answer(received);
        this.received.push(received);
        if (received.answered !== 'nothing') response.writeHead(received.answered).end();
      });
    });
  }

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  /** What arrived at a path and was accepted. */
  accepted(path: string): Received[] {
    return this.received.filter((each) => each.path === path && each.answered === 202);
  }

  async eventually(what: string, path: string, isIt: (received: Received) => boolean): Promise<Received> {
    return waitFor(what, async () => {
      const found = this.accepted(path).find(isIt);
      if (found !== undefined) return { met: found };
      return {
        seen: this.received.map(({ path: at, body, answered }) => `${at} ${answered} ${body}`).join('\n'),
      };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}
