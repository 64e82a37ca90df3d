import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import type { UnusedConnections } from './unused-connections.ts';

export interface ConnectionLimits {
  /** Maximum time without a request in progress. */
  idleTimeoutMs: number;
  /**
   * Maximum time from the first byte of a request to the end of its headers, which take memory meanwhile. It is checked in
   * intervals of the same length, so it may be exceeded by one of them. Defaults to 10 s.
   */
  headTimeoutMs?: number;
  /** Maximum time from a request's headers to the end of its body. Responses have no limit, because of watches. */
  requestTimeoutMs: number;
}

const defaultHeadTimeoutMs = 10_000;

interface Connection {
  /** The requests, each with the function that cancels its timer. A client may send several before the first response. */
  inProgress: Map<ServerResponse, () => void>;
  /** The connection has switched to another protocol and has no time limit. */
  isUpgraded: boolean;
  /** Cancels the timer that ends the idle connection. */
  cancelIdle: () => void;
}

/**
 * The open connections of one server, with their timeouts. Node implements these timeouts only for an http.Server
 * that listens itself, and Bun does not implement them.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  readonly #clock: Clock;
  readonly #limits: ConnectionLimits;
  readonly #unused: UnusedConnections | undefined;
  #draining = false;
  #onEmpty: (() => void) | undefined;

  constructor(clock: Clock, limits: ConnectionLimits, unused?: UnusedConnections) {
    this.#clock = clock;
    this.#limits = limits;
    this.#unused = unused;
  }

  opened(socket: Socket): void {
    this.#open.set(socket, {
      inProgress: new Map(),
      isUpgraded: false,
      cancelIdle: this.#endWhenIdle(socket),
    });
    socket.once('close', () => this.#closed(socket));
    this.#unused?.add(socket);
  }

  /** Must be called before the handler of the request. */
  requested(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    this.#unused?.remove(socket);
    if (this.#draining) announceEnd(response);
    connection.cancelIdle();
    const cancel = this.#clock.after(this.#limits.requestTimeoutMs, () => {
      // Applies even when the handler does not read the body.
      if (hasBody(request) && !request.complete) socket.destroy();
    });
    connection.inProgress.set(response, cancel);
    response.once('close', () => {
      connection.inProgress.delete(response);
      cancel();
      if (connection.inProgress.size > 0 || connection.isUpgraded || !this.#open.has(socket)) return;
      if (this.#draining) socket.end();
      connection.cancelIdle = this.#endWhenIdle(socket);
    });
  }

  /**
   * Whether a response to invalid bytes may be written: it must not be taken for the response to an earlier request. A
   * request whose body is not complete is the one with the invalid bytes.
   */
  mayRefuse(socket: Socket): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined || connection.isUpgraded) return false;
    return [...connection.inProgress.keys()].every(({ headersSent, req }) => !headersSent && !req.complete);
  }

  /** Removes the time limits of the connection. `drain` waits for its end. */
  upgraded(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    this.#unused?.remove(socket);
    connection.isUpgraded = true;
    connection.cancelIdle();
    for (const cancel of connection.inProgress.values()) cancel();
  }

  /** Closes idle connections now and the others after their response. Resolves when no connection is left. */
  async drain(): Promise<void> {
    this.#draining = true;
    for (const [socket, { inProgress, isUpgraded }] of this.#open) {
      if (inProgress.size === 0 && !isUpgraded) socket.destroy();
      for (const response of inProgress.keys()) announceEnd(response);
    }
    if (this.#open.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
  }

  /** Closes all connections immediately. */
  destroy(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #closed(socket: Socket): void {
    const connection = this.#open.get(socket);
    connection?.cancelIdle();
    for (const cancel of connection?.inProgress.values() ?? []) cancel();
    this.#open.delete(socket);
    this.#unused?.remove(socket);
    if (this.#open.size === 0) this.#onEmpty?.();
  }

  /** What arrives while no request is in progress is a head: one that is not complete at the next check takes too long. */
  #endWhenIdle(socket: Socket): () => void {
    const { idleTimeoutMs, headTimeoutMs = defaultHeadTimeoutMs } = this.#limits;
    const readBefore = socket.bytesRead;
    let leftMs = idleTimeoutMs;
    let hasBegun = false;
    let cancel = () => {};
    const checkLater = () => {
      const ms = Math.min(leftMs, headTimeoutMs);
      cancel = this.#clock.after(ms, () => {
        leftMs -= ms;
        if (leftMs <= 0 || hasBegun) {
          socket.destroy();
          return;
        }
        hasBegun = socket.bytesRead > readBefore;
        checkLater();
      });
    };
    checkLater();
    return () => cancel();
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Tells the client not to send its next request on this connection. */
function announceEnd(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}
