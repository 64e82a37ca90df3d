import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import {
  type GatewayUnderTest,
  type GatewayUnderTestOptions,
  startGatewayUnderTest,
} from './gateway-under-test.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
type Upgrade = (request: IncomingMessage, socket: Socket, head: Buffer) => void;

/** A server that responds as a test defines, in place of the API server, with a gateway in front of it. */
export class ScriptedUpstream {
  /** All requests that reached the server. */
  readonly requests: IncomingMessage[] = [];
  /** Parser errors for bytes of the gateway that are not valid HTTP. */
  readonly malformed: string[] = [];
  readonly gateway: GatewayUnderTest;
  readonly #server: Server;
  readonly #port: number;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, gateway: GatewayUnderTest) {
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    this.gateway = gateway;
  }

  static async start(
    script: { answer?: Answer; upgrade?: Upgrade },
    options: Partial<GatewayUnderTestOptions> & { prefix?: string; ownHeaders?: Record<string, string> } = {},
  ): Promise<ScriptedUpstream> {
    // API servers accept headers of 1 MiB.
    const server = createServer({ maxHeaderSize: 1024 * 1024 });
    server.keepAliveTimeout = 0;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { prefix = '', ownHeaders = { authorization: 'Bearer ours' }, ...rest } = options;
    const access = {
      server: `http://127.0.0.1:${port}${prefix}`,
      namespace: 'default',
      tls: async () => ({}),
      headers: async () => ownHeaders,
    };
    const gateway = await startGatewayUnderTest({ access, ...rest });
    const upstream = new ScriptedUpstream(server, gateway);
    server.on('connection', (socket: Socket) => {
      upstream.#sockets.add(socket);
      socket.on('error', () => {}).once('close', () => upstream.#sockets.delete(socket));
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      // A client that disconnects in the middle of its body ends the request to the server there, too.
      if (error.code?.startsWith('HPE_') && error.code !== 'HPE_INVALID_EOF_STATE')
        upstream.malformed.push(error.code);
      socket.destroy();
    });
    server.on('request', (request, response) => {
      // The program probes the API server for its readiness.
      if (isProbe(request)) return void response.end('{}');
      upstream.requests.push(request);
      if (script.answer) script.answer(request, response);
      else response.end('ok');
    });
    if (script.upgrade)
      server.on('upgrade', (request, socket: Socket, head: Buffer) => {
        upstream.requests.push(request);
        script.upgrade?.(request, socket, head);
      });
    return upstream;
  }

  get url(): string {
    return this.gateway.url;
  }

  /** A bare connection to the gateway, for requests that no client would make. */
  async connect({ allowHalfOpen = false } = {}): Promise<Socket> {
    const { hostname: host, port } = new URL(this.url);
    const socket = connect({ host, port: Number(port), allowHalfOpen });
    await once(socket, 'connect');
    return socket.on('error', () => {}).setEncoding('latin1');
  }

  /** Sends these bytes and returns everything that the gateway sends until it closes the connection. */
  async raw(bytes: string): Promise<string> {
    const socket = await this.connect();
    let text = '';
    socket.on('data', (part) => {
      text += part;
    });
    const closed = once(socket, 'close');
    socket.write(Buffer.from(bytes, 'latin1'));
    await closed;
    return text;
  }

  /** Stops the server and breaks its connections. */
  async stopUpstream(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Starts the server again on the same port. */
  async startUpstream(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
  }

  async close(): Promise<void> {
    await this.gateway.close(0);
    await this.stopUpstream();
  }
}

function isProbe({ url, headers }: IncomingMessage): boolean {
  return url?.endsWith('/version') === true && headers['user-agent'] === 'trimtab-gateway';
}
