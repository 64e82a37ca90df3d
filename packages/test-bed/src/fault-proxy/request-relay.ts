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
  /** When it has been read already. */
  body?: Buffer;
}

/** Tells the report that a fault has had its effect; `note` says what it amounted to. */
export type Announce = (note?: string) => void;

const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length']);

/** Carries one request and its answer, with the fault that the plan chose for it. */
export class RequestRelay {
  readonly #forwarder: Forwarder;
  readonly #stalls: Stalls;
  readonly #clock: Clock;

  constructor(forwarder: Forwarder, stalls: Stalls, clock: Clock) {
    this.#forwarder = forwarder;
    this.#stalls = stalls;
    this.#clock = clock;
  }

  /** Resolves with the server's answer, for the caller to pass on; with nothing when the client has its fate. */
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

  /** A client that has died meanwhile never sent its request: that is what a test that kills it relies on. */
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

/** Passes an answer on as it arrives. */
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

/** The name of the object in the body of a create; nothing when it is not JSON. */
function nameIn(body: Buffer): string | undefined {
  try {
    const object: { metadata?: { name?: string } } = JSON.parse(body.toString());
    return object.metadata?.name;
  } catch {
    return undefined;
  }
}
