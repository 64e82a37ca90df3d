import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { PassThrough } from 'node:stream';
import tls from 'node:tls';
import type { ClusterAccess } from '../access.ts';
import type { Clock } from '../clock.ts';
import { RequestScheduler } from './request-scheduler.ts';

/** High enough to use an API server fully, low enough that a burst does not open a thousand TLS connections. */
const requestsAtOnce = 32;
/** Below the idle timeout of API servers (90 s) and most load balancers (60 s), so the client closes first. */
const idleMs = 30_000;
const connectTimeoutMs = 10_000;
/** Idle time before TCP keep-alive probes start; with ten probes, a dead peer is detected after 25 s. */
const probeAfterMs = 15_000;

/**
 * Keep-alive connections to one cluster. The scheduler limits concurrent requests, and with them the connections. A
 * watch does not use a slot of the scheduler, because it would hold the slot for minutes.
 */
export class ConnectionPool {
  readonly secure: boolean;
  readonly hostname: string;
  readonly port: number;
  /** Prefix of every request path; the server URL in a kubeconfig may contain a path. */
  readonly pathPrefix: string;
  readonly scheduler: RequestScheduler;
  readonly #access: ClusterAccess;
  readonly #clock: Clock;
  readonly #sockets = new Set<net.Socket>();
  #agent: http.Agent;
  #generation = 0;
  #closed = false;

  constructor(access: ClusterAccess, clock: Clock) {
    const url = new URL(access.server);
    // A connection within this process needs no TLS.
    this.secure = url.protocol === 'https:' && access.connect === undefined;
    this.hostname = url.hostname.replace(/^\[|\]$/g, '');
    this.port = url.port === '' ? (this.secure ? 443 : 80) : Number(url.port);
    this.pathPrefix = url.pathname.replace(/\/+$/, '');
    this.#access = access;
    this.#clock = clock;
    this.scheduler = new RequestScheduler(requestsAtOnce, clock);
    this.#agent = this.#newAgent();
  }

  /** Number of `renew` calls. When many concurrent requests get a 401, only the first of them must call `renew`. */
  get generation(): number {
    return this.#generation;
  }

  get agent(): http.Agent {
    return this.#agent;
  }

  /**
   * Replaces the connections after a 401. A connection keeps the client certificate that it was opened with, so the
   * next request needs a new connection. Requests in progress finish on their connections, which close when idle.
   */
  renew(): void {
    this.#generation++;
    const retired = this.#agent;
    this.#agent = this.#newAgent();
    for (const socket of idleSockets(retired)) socket.destroy();
  }

  close(): void {
    this.#closed = true;
    this.#agent.destroy();
    // Includes connections of retired agents and connections that are still being established.
    for (const socket of this.#sockets) socket.destroy();
  }

  #newAgent(): http.Agent {
    const options = { keepAlive: true, timeout: idleMs };
    const agent = this.secure ? new https.Agent(options) : new http.Agent(options);
    agent.createConnection = (_options, callback) => {
      this.#connect().then(
        (socket) => callback?.(null, socket),
        // The type requires a stream even with an error; the agent ignores the stream.
        (error: Error) => callback?.(error, new PassThrough()),
      );
      return undefined;
    };
    return agent;
  }

  #requireOpen(): void {
    if (this.#closed) throw coded('ERR_CLIENT_CLOSED', 'the client is closed');
  }

  /** Reads the certificates for each connection, because they rotate; for the same reason resumes no TLS session. */
  async #connect(): Promise<net.Socket> {
    this.#requireOpen();
    if (this.#access.connect !== undefined) return this.#keep(this.#access.connect());
    const target = { host: this.hostname, port: this.port };
    if (!this.secure) return this.#established(net.connect(target), 'connect');
    const settings = await this.#access.tls();
    this.#requireOpen();
    const servername = settings.servername ?? (net.isIP(this.hostname) ? '' : this.hostname);
    const socket = tls.connect({ ...target, ALPNProtocols: ['http/1.1'], ...settings, servername });
    return this.#established(socket, 'secureConnect');
  }

  #keep(socket: net.Socket): net.Socket {
    this.#sockets.add(socket);
    // Never removed: between two requests the socket has no other error listener, and an error would end the process.
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }

  /** Resolves only when the connection is established: a request without a socket has then certainly not been sent. */
  #established(socket: net.Socket, event: 'connect' | 'secureConnect'): Promise<net.Socket> {
    this.#keep(socket);
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(connectTimeoutMs, () =>
        socket.destroy(coded('ETIMEDOUT', `no connection within ${connectTimeoutMs} ms`)),
      );
      socket.on('error', reject);
      socket.once('close', () => {
        cancel();
        reject(coded('ECONNRESET', 'the connection closed before it was established'));
      });
      socket.once(event, () => {
        cancel();
        socket.setNoDelay(true);
        socket.setKeepAlive(true, probeAfterMs);
        resolve(socket);
      });
    });
  }
}

function idleSockets(agent: http.Agent): net.Socket[] {
  return Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? []);
}

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
