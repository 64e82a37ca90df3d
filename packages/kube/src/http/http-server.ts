import { constants } from 'node:crypto';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { createServer as createNetServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import { type Clock, systemClock } from '../clock.ts';
import { errors, OperationalError } from '../errors.ts';
import { addressBlock } from '../limits/address-block.ts';
import { Quota } from '../limits/quota.ts';
import type { Logger } from '../log/log.ts';
import { cipherSuites } from '../tls/cipher-suites.ts';
import type { MaterialSource, TlsMaterial } from '../tls/material.ts';
import { boundBuffer } from './bound-buffer.ts';
import { Connections } from './connections.ts';
import { inProcessSockets } from './in-process-socket.ts';
import {
  type ErrorBody,
  missingHost,
  noTunnels,
  type ProtocolError,
  plainText,
  protocolErrorOf,
  unknownExpectation,
} from './protocol-error.ts';
import { UnusedConnections } from './unused-connections.ts';

export interface HttpServerOptions {
  /** Name for logs and errors, such as `health` or `gateway`. */
  name: string;
  host: string;
  /** With 0, the system chooses a port; see `HttpServer.port`. */
  port: number;
  /** The flag that sets the port, such as `--gateway-port`; named in the error when the port is in use. */
  portFlag?: string;
  /** A rejection is logged. The response is then 500, or the connection is closed when the response has started. */
  handler: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
  /** Optional; without it, upgrade requests are handled as ordinary requests. */
  upgrade?: {
    /** Returns whether to upgrade the request; other requests go to `handler`. */
    wanted: (request: IncomingMessage) => boolean;
    /** Owns the connection; a rejection closes it. `head` holds the bytes that followed the request. */
    handler: (request: IncomingMessage, socket: Socket, head: Buffer) => Promise<void>;
  };
  /** The body of the response to bytes that are no request. Defaults to plain text. */
  describeError?: (error: ProtocolError) => ErrorBody;
  /** Called when such a response is sent. */
  onProtocolError?: (error: ProtocolError, socket: Socket) => void;
  tls?: {
    material: MaterialSource;
    /** Whether clients may or must present a certificate of `material.clientAuthority`. Defaults to `none`. */
    clientCertificates?: 'none' | 'optional' | 'required';
  };
  log: Logger;
  clock?: Clock;
  /** Maximum time from a request's headers to the end of its body. Defaults to 30 s. */
  requestTimeoutMs?: number;
  /** Time for a TLS handshake. Defaults to 10 s. */
  handshakeTimeoutMs?: number;
  /** Defaults to 120 s, which is longer than clients keep an idle connection: 90 s in Go, 60 s in common proxies. */
  idleTimeoutMs?: number;
  connectionLimits?: AcceptLimits;
  /** Defaults to 16 KiB. The response to a request with larger headers is 431. */
  maxHeaderBytes?: number;
}

/** A surplus connection is closed at once, before its TLS handshake. */
interface AcceptLimits {
  maxConnections: number;
  maxConnectionsPerAddress: number;
  /** Connections that have not sent a request yet. Above the limit the oldest one is closed. Unlimited by default. */
  maxUnusedConnections?: number;
  /** Called with the limit that was reached. */
  onRefused?(limit: 'total' | 'address' | 'unused'): void;
}

export interface HttpServer {
  host: string;
  port: number;
  /** For example `https://127.0.0.1:9443`. */
  url: string;
  /** Opens a connection within this process, without network and TLS. */
  connect(): Socket;
  /** Accepts no new connections, waits up to `graceMs` for requests in progress, then closes all connections. */
  close(graceMs: number): Promise<void>;
}

/** Rejects with an OperationalError `ServerFailed` when the server cannot listen. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { name, log, clock = systemClock, connectionLimits: limits } = options;
  const unused = new UnusedConnections(
    limits?.maxUnusedConnections ?? Number.POSITIVE_INFINITY,
    (address) => {
      log.debug(
        { server: name, address, limit: 'unused' },
        'connection without a request closed: limit reached',
      );
      limits?.onRefused?.('unused');
    },
  );
  const timeouts = {
    idleTimeoutMs: options.idleTimeoutMs ?? 120_000,
    requestTimeoutMs: options.requestTimeoutMs ?? 30_000,
  };
  const connections = new Connections(clock, timeouts, unused);
  const { upgrade, maxHeaderBytes = 16_384, onProtocolError = () => {} } = options;
  const refusals: Refusals = { describeError: options.describeError ?? plainText, onProtocolError, clock };
  const http = createHttpServer(
    {
      maxHeaderSize: maxHeaderBytes,
      // Node would refuse such a request without a body; see `lacksHost`.
      requireHostHeader: false,
      ...(upgrade && { shouldUpgradeCallback: upgrade.wanted }),
    },
    (request, response) => {
      connections.requested(request, response);
      boundBuffer(request, response);
      if (lacksHost(request)) refuse(response, missingHost, refusals);
      else void handle(options, request, response);
    },
  );
  if (upgrade !== undefined)
    http.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      connections.upgraded(socket);
      if (lacksHost(request)) refuseConnection(socket, missingHost, refusals);
      else void handleUpgrade(options, request, socket, upgrade.handler(request, socket, head));
    });
  // Without this listener, Node closes the connection without a response.
  http.on('connect', (_: IncomingMessage, socket: Socket) => {
    if (connections.mayRefuse(socket)) refuseConnection(socket, noTunnels, refusals);
    else socket.destroy();
  });
  http.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    connections.requested(request, response);
    refuse(response, unknownExpectation, refusals);
  });
  http.on('clientError', (err: Error, socket: Socket) => {
    log.debug({ err, server: name }, 'request is not valid HTTP');
    const problem = protocolErrorOf(err, { maxHeaderBytes });
    // The parser reports an error for each further packet as well.
    if (problem !== undefined && socket.writable && connections.mayRefuse(socket))
      refuseConnection(socket, problem, refusals);
    else if (socket.writable) socket.destroy();
  });
  // Disables Node's keep-alive timeout of 5 s, which would close a connection while a client sends its next request.
  http.keepAliveTimeout = 0;
  // The http server does not listen itself and receives its connections here. Under Bun, https.Server can neither
  // replace its certificate nor provide the client certificate; tls.Server can do both.
  const accept = (socket: Socket) => {
    connections.opened(socket);
    http.emit('connection', socket);
  };
  const secure = options.tls && createTls(options, options.tls, accept);
  const listener = createListener(options, secure ? (socket) => secure.emit('connection', socket) : accept);
  await listen(listener, options);
  listener.on('error', (cause) => {
    log.error(
      { err: new OperationalError(errors.ServerFailed, `server ${name} failed`, { cause }) },
      'server failed',
    );
  });
  const stopFollowing = followMaterial(secure, options);
  const address = listener.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  const hostInUrl = options.host.includes(':') ? `[${options.host}]` : options.host;
  const url = `${options.tls ? 'https' : 'http'}://${hostInUrl}:${port}`;
  log.info({ server: name, url }, 'server listening');

  return {
    host: options.host,
    port,
    url,
    connect() {
      const [near, far] = inProcessSockets();
      accept(far);
      return near;
    },
    async close(graceMs) {
      stopFollowing();
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
      const cancel = clock.after(graceMs, () => connections.destroy());
      await connections.drain();
      cancel();
      await closed;
    },
  };
}

/** HTTP/1.1 requires the header. */
function lacksHost({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.host === undefined;
}

interface Refusals extends Required<Pick<HttpServerOptions, 'describeError' | 'onProtocolError'>> {
  clock: Clock;
}

function refuse(
  response: ServerResponse,
  problem: ProtocolError,
  { describeError, onProtocolError }: Refusals,
): void {
  onProtocolError(problem, response.req.socket);
  const { contentType, text } = describeError(problem);
  const headers = {
    ...problem.headers,
    'content-type': contentType,
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  };
  response.writeHead(problem.code, headers).end(text);
}

/** How long a client may take to read a refusal and to close its side of the connection. */
const lingerMs = 5_000;

/** Responds where there is no request to respond to. The rest of what the client sends is discarded. */
function refuseConnection(
  socket: Socket,
  problem: ProtocolError,
  { describeError, onProtocolError, clock }: Refusals,
): void {
  onProtocolError(problem, socket);
  const { contentType, text } = describeError(problem);
  const head = [
    `HTTP/1.1 ${problem.code} ${STATUS_CODES[problem.code] ?? 'Error'}`,
    ...Object.entries(problem.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ...[`content-type: ${contentType}`, `content-length: ${Buffer.byteLength(text)}`, 'connection: close'],
  ];
  socket
    .on('error', () => {})
    .resume()
    .end(`${head.join('\r\n')}\r\n\r\n${text}`);
  const cancel = clock.after(lingerMs, () => socket.destroy());
  socket.once('close', cancel);
}

async function handle(
  { name, handler, log }: HttpServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    await handler(request, response);
  } catch (err) {
    log.error({ err, server: name, method: request.method }, 'request handler failed');
    if (response.headersSent) response.destroy();
    else response.writeHead(500, { 'content-type': 'text/plain' }).end('internal error\n');
  }
}

async function handleUpgrade(
  { name, log }: HttpServerOptions,
  { method }: IncomingMessage,
  socket: Socket,
  handled: Promise<void>,
): Promise<void> {
  // After the upgrade the socket has no other error listener, and a connection reset would end the process.
  socket.on('error', (err) => log.debug({ err, server: name }, 'upgraded connection failed'));
  try {
    await handled;
  } catch (err) {
    log.error({ err, server: name, method }, 'upgrade handler failed');
    socket.destroy();
  }
}

/** TCP keep-alive detects a peer that disappeared, after this idle time and some probes. */
const probes = { keepAlive: true, keepAliveInitialDelay: 30_000 };

function createListener(
  { connectionLimits, name, log }: HttpServerOptions,
  onConnection: (socket: Socket) => void,
): Server {
  const tcp = { noDelay: true, ...probes };
  if (connectionLimits === undefined) return createNetServer(tcp, onConnection);
  const { maxConnections: total, maxConnectionsPerAddress: perHolder, onRefused } = connectionLimits;
  const quota = new Quota({ total, perHolder });
  return createNetServer(tcp, (socket) => {
    const address = socket.remoteAddress ?? 'unknown';
    const holder = addressBlock(address);
    const exhausted = quota.take(holder, 1);
    if (exhausted !== undefined) {
      log.debug({ server: name, address, limit: exhausted }, 'connection refused: limit reached');
      onRefused?.(exhausted === 'total' ? 'total' : 'address');
      socket.destroy();
      return;
    }
    socket.once('close', () => quota.release(holder, 1));
    onConnection(socket);
  });
}

function createTls(
  { name, log, handshakeTimeoutMs = 10_000 }: HttpServerOptions,
  { material, clientCertificates = 'none' }: NonNullable<HttpServerOptions['tls']>,
  onConnection: (socket: Socket) => void,
): TlsServer {
  const server = createTlsServer(
    {
      ...secureContext(material.current()),
      requestCert: clientCertificates !== 'none',
      rejectUnauthorized: clientCertificates === 'required',
      // A resumed session would keep a client certificate that is no longer accepted.
      ...(clientCertificates !== 'none' && { secureOptions: constants.SSL_OP_NO_TICKET }),
      handshakeTimeout: handshakeTimeoutMs,
      ALPNProtocols: ['http/1.1'],
    },
    onConnection,
  );
  server.on('tlsClientError', (err, socket) => {
    log.debug({ err, server: name }, 'TLS handshake failed');
    // Node reports a handshake that takes too long and leaves the connection open.
    socket.destroy();
  });
  return server;
}

function secureContext({ certificate, key, clientAuthority }: TlsMaterial) {
  return {
    cert: certificate,
    key,
    minVersion: 'TLSv1.2' as const,
    ciphers: cipherSuites,
    ...(clientAuthority === undefined ? {} : { ca: clientAuthority }),
  };
}

/** Uses replaced certificates for new connections; open connections keep theirs. */
function followMaterial(secure: TlsServer | undefined, { tls }: HttpServerOptions): () => void {
  if (secure === undefined || tls === undefined) return () => {};
  return tls.material.onChange((material) => secure.setSecureContext(secureContext(material)));
}

function listen(listener: Server, { name, host, port, portFlag }: HttpServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (cause: Error) => {
      const code = 'code' in cause ? String(cause.code) : cause.name;
      const problem = listenProblems[code] ?? `listen failed with ${code}`;
      const remedy =
        portFlag !== undefined && portProblems.has(code) ? ` Set the port with ${portFlag}.` : '';
      const message = `${name}: cannot listen on ${host}, port ${port}: ${problem}${remedy}`;
      reject(new OperationalError(errors.ServerFailed, message, { cause }));
    };
    listener.once('error', onError);
    listener.listen({ host, port }, () => {
      listener.off('error', onError);
      resolve();
    });
  });
}

const portProblems = new Set(['EADDRINUSE', 'EACCES']);

const listenProblems: Record<string, string> = {
  EADDRINUSE: 'another process uses the port. Stop that process, or choose another port.',
  EACCES: 'permission denied. Choose a port above 1023.',
  EADDRNOTAVAIL:
    'the address does not belong to this machine. Choose 0.0.0.0, 127.0.0.1 or an address of this machine.',
  ENOTFOUND: 'the host name cannot be resolved. Choose an IP address.',
};
