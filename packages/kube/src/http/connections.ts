import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../clock.ts';

export interface ConnectionLimits {
  /** How long a connection may be without a request in progress; bounds slow headers, too. */
  idleTimeoutMs: number;
  /** From a request's headers to the end of its body. Responses may take as long as they like: watches do. */
  requestTimeoutMs: number;
}

interface Connection {
  inProgress: Set<ServerResponse>;
  /** It speaks another protocol now, for as long as its two ends like. */
  isUpgraded: boolean;
  /** Cancels the timer that would end the connection. */
  cancel: () => void;
}

/**
 * The open connections of one server. Node could end idle ones and time slow ones out by itself, but only for a
 * server that listens itself, and Bun's does neither.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  readonly #clock: Clock;
  readonly #limits: ConnectionLimits;
  #draining = false;
  #onEmpty: (() => void) | undefined;

  constructor(clock: Clock, limits: ConnectionLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  opened(socket: Socket): void {
    this.#open.set(socket, {
      inProgress: new Set(),
      isUpgraded: false,
      cancel: this.#endAfter(this.#limits.idleTimeoutMs, socket),
    });
    socket.once('close', () => this.#closed(socket));
  }

  /** Call it before the handler does anything. */
  requested(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.inProgress.add(response);
    if (this.#draining) announceEnd(response);
    connection.cancel();
    connection.cancel = this.#clock.after(this.#limits.requestTimeoutMs, () => {
      // Whether the handler has read the body or never will is its own affair.
      if (hasBody(request) && !request.complete) socket.destroy();
    });
    response.once('close', () => {
      connection.inProgress.delete(response);
      connection.cancel();
      if (connection.inProgress.size > 0 || connection.isUpgraded || !this.#open.has(socket)) return;
      if (this.#draining) socket.end();
      connection.cancel = this.#endAfter(this.#limits.idleTimeoutMs, socket);
    });
  }

  /** No time limit holds for it any more, and draining waits for its end. */
  upgraded(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.isUpgraded = true;
    connection.cancel();
  }

  /** Ends idle connections now and the others after their response; resolves when none is left. */
  async drain(): Promise<void> {
    this.#draining = true;
    for (const [socket, { inProgress, isUpgraded }] of this.#open) {
      if (inProgress.size === 0 && !isUpgraded) socket.destroy();
      for (const response of inProgress) announceEnd(response);
    }
    if (this.#open.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
  }

  /** Ends all of them, whatever they do. */
  destroy(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #closed(socket: Socket): void {
    this.#open.get(socket)?.cancel();
    this.#open.delete(socket);
    if (this.#open.size === 0) this.#onEmpty?.();
  }

  #endAfter(ms: number, socket: Socket): () => void {
    return this.#clock.after(ms, () => socket.destroy());
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** So that the client does not send its next request into a connection that is about to end. */
function announceEnd(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}
