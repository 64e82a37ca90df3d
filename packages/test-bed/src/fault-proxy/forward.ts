import type { ClientRequest } from 'node:http';
import {
  type IncomingMessage,
  Agent as PlainAgent,
  request as plainRequest,
  type ServerResponse,
} from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { ClusterAccess } from '@trimtab/kube/access.ts';

/** Forwards a client's request to the real API server. */
export class Forwarder {
  readonly #access: ClusterAccess;
  readonly #server: URL;
  readonly #agent: PlainAgent;
  /** For clients with their own token: the server would prefer the proxy's client certificate over it. */
  readonly #bareAgent: PlainAgent;

  private constructor(access: ClusterAccess, agent: PlainAgent, bareAgent: PlainAgent) {
    this.#access = access;
    this.#server = new URL(access.server);
    this.#agent = agent;
    this.#bareAgent = bareAgent;
  }

  static async to(access: ClusterAccess): Promise<Forwarder> {
    // Idle connections are closed before the server closes them: that would be a fault that was not injected.
    const settings = { keepAlive: true, timeout: 20_000 };
    if (access.connect !== undefined) {
      const inside = new PlainAgent(settings);
      inside.createConnection = () => access.connect?.();
      return new Forwarder(access, inside, inside);
    }
    if (!access.server.startsWith('https:'))
      return new Forwarder(access, new PlainAgent(settings), new PlainAgent(settings));
    const { cert, key, ...tls } = await access.tls();
    return new Forwarder(
      access,
      new TlsAgent({ ...settings, ...tls, cert, key }),
      new TlsAgent({ ...settings, ...tls }),
    );
  }

  /** Opens the request with its headers; the body is not written yet. */
  async open(incoming: IncomingMessage): Promise<ClientRequest> {
    const bringsOwnIdentity = incoming.headers.authorization !== undefined;
    const { host: _host, ...headers } = incoming.headers;
    const identity = bringsOwnIdentity ? {} : await this.#access.headers();
    const isTls = this.#server.protocol === 'https:' && this.#access.connect === undefined;
    const send = isTls ? tlsRequest : plainRequest;
    const prefix = this.#server.pathname.replace(/\/$/, '');
    return send({
      protocol: isTls ? 'https:' : 'http:',
      host: this.#server.hostname,
      port: this.#server.port,
      method: incoming.method,
      path: prefix + (incoming.url ?? '/'),
      headers: { ...headers, ...identity },
      agent: bringsOwnIdentity ? this.#bareAgent : this.#agent,
    });
  }

  /** Streams the request as it arrives. A client that disconnects aborts it. */
  async stream(incoming: IncomingMessage, client: ServerResponse): Promise<IncomingMessage> {
    const outgoing = await this.open(incoming);
    client.once('close', () => outgoing.destroy());
    const answer = answerTo(outgoing);
    incoming.pipe(outgoing);
    return answer;
  }

  /** Sends a request that has arrived completely, whether or not its client is still connected. */
  async send(incoming: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    const outgoing = await this.open(incoming);
    const answer = answerTo(outgoing);
    outgoing.end(body);
    return answer;
  }

  close(): void {
    this.#agent.destroy();
    this.#bareAgent.destroy();
  }
}

function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
  });
}
