import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type Clock, sleep } from '@trimtab/kube/clock.ts';
import type { RequestFault } from './faults.ts';
import type { Forwarder } from './forward.ts';
import type { RequestInfo } from './request-info.ts';
import { resetConnection } from './reset-connection.ts';
import type { Stalls } from './stalls.ts';
import { cannedAnswer } from './status-bodies.ts';

export interface Exchange {
  incoming: IncomingMessage;
  client: ServerResponse;
  request: RequestInfo;
  /** Set when the body has already been read. */
  body?: Buffer;
}

/** Reports that a fault has taken effect. `note` adds a detail. */
export type Announce = (note?: string) => void;

const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length']);

/** Relays one request and its response with the fault that the plan selected. */
export class RequestRelay {
  readonly #forwarder: Forwarder;
  readonly #stalls: Stalls;
  readonly #clock: Clock;

  constructor(forwarder: Forwarder, stalls: Stalls, clock: Clock) {
    this.#forwarder = forwarder;
    this.#stalls = stalls;
    this.#clock = clock;
  }

  /** Resolves with the server's response for the caller to relay. Undefined when the client has been served. */
  async open(
    exchange: Exchange,
    fault: RequestFault,
    announce: Announce,
  ): Promise<IncomingMessage | undefined> {
    const { incoming, client } = exchange;
    if (fault.kind === 'fail-before') {
      announce();
      resetConnection(client);
      return undefined;
    }
    const body = exchange.body ?? (await bodyOf(incoming));
    switch (fault.kind) {
      case 'status': {
        announce();
        const answer = cannedAnswer(fault, exchange.request, nameIn(body));
        client.writeHead(answer.code, answer.headers).end(answer.body);
        return undefined;
      }
      case 'delay':
        announce();
        await sleep(this.#clock, fault.ms);
        return this.#forwarder.send(incoming, body);
      case 'fail-after': {
        const answer = await this.#forwarder.send(incoming, body);
        await bodyOf(answer);
        announce(`server answered ${answer.statusCode}`);
        resetConnection(client);
        return undefined;
      }
      case 'stall':
        return fault.at === 'after'
          ? this.#stallAfter(exchange, body, fault.boundMs ?? 30_000, announce)
          : this.#stallBefore(exchange, body, fault.boundMs ?? 30_000, announce);
    }
  }

  /** The request of a client that disconnects during the stall is not forwarded: tests that kill clients rely on it. */
  async #stallBefore(
    { incoming, client }: Exchange,
    body: Buffer,
    boundMs: number,
    announce: Announce,
  ): Promise<IncomingMessage | undefined> {
    const released = this.#stalls.wait(client, boundMs);
    announce();
    if ((await released) === 'released') return this.#forwarder.send(incoming, body);
    resetConnection(client);
    return undefined;
  }

  async #stallAfter({ incoming, client }: Exchange, body: Buffer, boundMs: number, announce: Announce) {
    const answer = await this.#forwarder.send(incoming, body);
    const answerBody = await bodyOf(answer);
    const released = this.#stalls.wait(client, boundMs);
    announce(`server answered ${answer.statusCode}`);
    if ((await released) === 'released')
      client.writeHead(answer.statusCode ?? 502, headersOf(answer)).end(answerBody);
    else resetConnection(client);
    return undefined;
  }
}

/** Streams a response to the client. */
export async function passOn(answer: IncomingMessage, client: ServerResponse): Promise<void> {
  client.writeHead(answer.statusCode ?? 502, headersOf(answer));
  await pipeline(answer, client);
}

export function headersOf(answer: IncomingMessage): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(answer.headers))
    if (value !== undefined && !hopByHop.has(name)) headers[name] = value;
  return headers;
}

export async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The object name in the body of a create request. Undefined when the body is not JSON. */
function nameIn(body: Buffer): string | undefined {
  try {
    const object: { metadata?: { name?: string } } = JSON.parse(body.toString());
    return object.metadata?.name;
  } catch {
    return undefined;
  }
}
