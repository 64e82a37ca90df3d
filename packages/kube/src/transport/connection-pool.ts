import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { PassThrough } from 'node:stream';
import tls from 'node:tls';
import type { ClusterAccess } from '../access.ts';
import type { Clock } from '../clock.ts';
import { RequestScheduler } from './request-scheduler.ts';

/** Enough to keep an API server busy, few enough that a burst does not open a thousand TLS connections. */
const requestsAtOnce = 32;
/** Well below the 90 s of an API server and the 60 s of most load balancers, so that we close first. */
const idleMs = 30_000;
const connectTimeoutMs = 10_000;
/** The operating system asks a silent peer after this long; with ten probes a dead one is noticed in 25 s. */
const probeAfterMs = 15_000;

/**
 * The connections to one cluster, kept alive. Requests take turns, so their connections are few; a watch takes
 * none, because it holds its connection for minutes and would leave none for requests.
 */
export class ConnectionPool {
  readonly secure: boolean;
  readonly hostname: string;
  readonly port: number;
  /** Comes before every path: a kubeconfig may name a server behind a path. */
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
    // Inside one process there is nobody to hide from.
    this.secure = url.protocol === 'https:' && access.connect === undefined;
    this.hostname = url.hostname.replace(/^\[|\]$/g, '');
    this.port = url.port === '' ? (this.secure ? 443 : 80) : Number(url.port);
    this.pathPrefix = url.pathname.replace(/\/+$/, '');
    this.#access = access;
    this.#clock = clock;
    this.scheduler = new RequestScheduler(requestsAtOnce, clock);
    this.#agent = this.#newAgent();
  }

  /** Counts `renew`: many requests are refused at once, and only the first of them must renew. */
  get generation(): number {
    return this.#generation;
  }

  get agent(): http.Agent {
    return this.#agent;
  }

  /**
   * The identity was refused. A connection keeps the client certificate it was opened with, so the next request
   * needs a new one; requests under way finish on theirs, and those connections go when they are idle.
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
    // Also those of agents before, and those that are still being made.
    for (const socket of this.#sockets) socket.destroy();
  }

  #newAgent(): http.Agent {
    const options = { keepAlive: true, timeout: idleMs };
    const agent = this.secure ? new https.Agent(options) : new http.Agent(options);
    agent.createConnection = (_options, callback) => {
      this.#connect().then(
        (socket) => callback?.(null, socket),
        // The types ask for a stream even with an error; nobody looks at it.
        (error: Error) => callback?.(error, new PassThrough()),
      );
      return undefined;
    };
    return agent;
  }

  #requireOpen(): void {
    if (this.#closed) throw coded('ERR_CLIENT_CLOSED', 'the client is closed');
  }

  /** Asks for certificates each time, because they rotate; resumes no TLS session, which would bring old ones back. */
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
    // Stays for good: between two requests nobody else listens, and an error must not end the process.
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }

  /** A request gets its connection only when it stands, so that 'has a socket' means 'can have been sent'. */
  #established(socket: net.Socket, event: 'connect' | 'secureConnect'): Promise<net.Socket> {
    this.#keep(socket);
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(connectTimeoutMs, () =>
        socket.destroy(coded('ETIMEDOUT', `no connection within ${connectTimeoutMs} ms`)),
      );
      socket.on('error', reject);
      socket.once('close', () => {
        cancel();
        reject(coded('ECONNRESET', 'the connection closed before it stood'));
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
