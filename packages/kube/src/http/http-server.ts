import { constants } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createNetServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { type Clock, systemClock } from '../clock.ts';
import { errors, OperationalError } from '../errors.ts';
import type { Logger } from '../log/log.ts';
import type { MaterialSource, TlsMaterial } from '../tls/material.ts';
import { Connections } from './connections.ts';
import { inProcessSockets } from './in-process-socket.ts';

export interface HttpServerOptions {
  /** For logs and errors: `health`, `gateway`. */
  name: string;
  host: string;
  /** 0 lets the system choose; the running server tells which. */
  port: number;
  /** The flag that sets the port, such as `--gateway-port`: the error names it when the port is taken. */
  portFlag?: string;
  /** A rejection is logged and answered with 500, or ends the connection when the answer had begun. */
  handler: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
  /** Without it, a request that asks for another protocol is an ordinary request. */
  upgrade?: {
    /** Whether this one is taken; the others go to `handler`. */
    wanted: (request: IncomingMessage) => boolean;
    /** Has the connection from here on; it is ended when this rejects. `head` is what came after the request. */
    handler: (request: IncomingMessage, socket: Socket, head: Buffer) => Promise<void>;
  };
  tls?: {
    material: MaterialSource;
    /** Whether clients are asked for a certificate of `material.clientAuthority`; `none` unless told. */
    clientCertificates?: 'none' | 'optional' | 'required';
  };
  log: Logger;
  clock?: Clock;
  /** 30 s unless told: from a request's headers to the end of its body. */
  requestTimeoutMs?: number;
  /** 120 s unless told: longer than clients keep a connection, 90 s in Go's, 60 s in common proxies. */
  idleTimeoutMs?: number;
  /** 16 KiB unless told; a request with more is answered with 431. */
  maxHeaderBytes?: number;
}

export interface HttpServer {
  host: string;
  port: number;
  /** `https://127.0.0.1:9443` */
  url: string;
  /** A connection from within this process: as over the network, without the network and its TLS. */
  connect(): Socket;
  /** Takes no new connections, lets requests in progress finish for `graceMs`, then ends what is left. */
  close(graceMs: number): Promise<void>;
}

/** Rejects with OperationalError ServerFailed when it cannot listen. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { name, log, clock = systemClock } = options;
  const connections = new Connections(clock, {
    idleTimeoutMs: options.idleTimeoutMs ?? 120_000,
    requestTimeoutMs: options.requestTimeoutMs ?? 30_000,
  });
  const { upgrade } = options;
  const http = createHttpServer(
    {
      maxHeaderSize: options.maxHeaderBytes ?? 16_384,
      ...(upgrade && { shouldUpgradeCallback: upgrade.wanted }),
    },
    (request, response) => {
      connections.requested(request, response);
      void handle(options, request, response);
    },
  );
  if (upgrade !== undefined)
    http.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      connections.upgraded(socket);
      void handleUpgrade(options, request, socket, upgrade.handler(request, socket, head));
    });
  // Node's own five seconds would end connections that a client is about to use: its request is lost, not refused.
  http.keepAliveTimeout = 0;
  // The http server gets its connections from here and does not listen itself: https.Server can neither replace
  // its certificate nor show a client's certificate under Bun, tls.Server can do both.
  const accept = (socket: Socket) => {
    connections.opened(socket);
    http.emit('connection', socket);
  };
  const listener = createListener(options, accept);
  await listen(listener, options);
  listener.on('error', (cause) => {
    log.error(
      { err: new OperationalError(errors.ServerFailed, `${name}: the server failed`, { cause }) },
      'server failed',
    );
  });
  const stopFollowing = followMaterial(listener, options);
  const address = listener.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  const hostInUrl = options.host.includes(':') ? `[${options.host}]` : options.host;
  const url = `${options.tls ? 'https' : 'http'}://${hostInUrl}:${port}`;
  log.info({ server: name, url }, 'server listens');

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
  // From the upgrade on nobody else listens, and a client that resets its connection must not end the process.
  socket.on('error', (err) => log.debug({ err, server: name }, 'upgraded connection failed'));
  try {
    await handled;
  } catch (err) {
    log.error({ err, server: name, method }, 'upgrade handler failed');
    socket.destroy();
  }
}

/** A peer that is gone without a word is noticed after this long and some probes. */
const probes = { keepAlive: true, keepAliveInitialDelay: 30_000 };

type Listener = Server & { setSecureContext?: (context: ReturnType<typeof secureContext>) => void };

function createListener(
  { tls, name, log }: HttpServerOptions,
  onConnection: (socket: Socket) => void,
): Listener {
  if (tls === undefined) return createNetServer({ noDelay: true, ...probes }, onConnection);
  const { material, clientCertificates = 'none' } = tls;
  const server = createTlsServer(
    {
      ...secureContext(material.current()),
      requestCert: clientCertificates !== 'none',
      rejectUnauthorized: clientCertificates === 'required',
      // A resumed session would keep a certificate that is not accepted any more.
      ...(clientCertificates !== 'none' && { secureOptions: constants.SSL_OP_NO_TICKET }),
      handshakeTimeout: 10_000,
      noDelay: true,
      ...probes,
      ALPNProtocols: ['http/1.1'],
    },
    onConnection,
  );
  server.on('tlsClientError', (err) => log.debug({ err, server: name }, 'TLS handshake failed'));
  return server;
}

function secureContext({ certificate, key, clientAuthority }: TlsMaterial) {
  return {
    cert: certificate,
    key,
    minVersion: 'TLSv1.2' as const,
    ...(clientAuthority === undefined ? {} : { ca: clientAuthority }),
  };
}

/** New connections get the new certificate; those that are open keep theirs. */
function followMaterial(listener: Listener, { tls }: HttpServerOptions): () => void {
  if (tls === undefined) return () => {};
  return tls.material.onChange((material) => listener.setSecureContext?.(secureContext(material)));
}

function listen(listener: Server, { name, host, port, portFlag }: HttpServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (cause: Error) => {
      const code = 'code' in cause ? String(cause.code) : cause.name;
      const problem = listenProblems[code] ?? `it failed with ${code}`;
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
  EACCES: 'this user may not listen on it. Choose a port above 1023.',
  EADDRNOTAVAIL: 'this machine does not have the address. Choose 0.0.0.0, 127.0.0.1 or one of its own.',
  ENOTFOUND: 'the name has no address. Choose an IP address.',
};
