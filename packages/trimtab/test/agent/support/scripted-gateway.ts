import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority, issue } from '@trimtab/kube/tls/authority.ts';

const validity = { now: Date.now(), validForMs: 3_600_000 };
const authority = createAuthority({ commonName: 'test gateway authority', ...validity });
const leaf = issue(authority, {
  ...{ commonName: 'gateway', ipAddresses: ['127.0.0.1'], usages: ['server'] },
  ...validity,
});

export interface AssignedVersion {
  version: string;
  data: Record<string, string>;
  /** Hash of the assignment; the gateway adds it for pods of a workload. */
  assigned?: string;
}

export interface ReceivedAck {
  config: string;
  object: string;
  version: string;
  result: string;
  reason?: string;
  sequence: number;
}

interface OpenStream {
  path: string;
  response: ServerResponse;
}

/** Plays the routes of the gateway that pods use: `GET …/current?watch=true` and `POST …/current/ack`. */
export class ScriptedGateway {
  readonly ca = authority.certificate;
  readonly acks: ReceivedAck[] = [];
  /** Tokens of requests, in their order. */
  readonly tokens: string[] = [];
  /** Accepts only this token. */
  token = 'token-1';
  /** Refuses streams with this status. */
  refusal: { code: number; message: string } | undefined;
  /** Status of the next acknowledgements; 200 when it is empty. */
  readonly ackStatuses: number[] = [];
  readonly #versions = new Map<string, AssignedVersion>();
  #streams: OpenStream[] = [];
  #server: Server | undefined;
  #port = 0;
  #resourceVersion = 100;
  opened = 0;
  /** The resourceVersion of each accepted stream; null when the request has none. */
  readonly startedFrom: (string | null)[] = [];

  get url(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    const server = createServer({ cert: leaf.certificate, key: leaf.key }, (request, response) =>
      this.#handle(request, response),
    );
    this.#server = server;
    await once(server.listen(this.#port, '127.0.0.1'), 'listening');
    this.#port = (server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    if (this.#server === undefined) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    this.#server = undefined;
    this.#streams = [];
    await closed;
  }

  /** `configs` by `configmaps/foo`. Only the named configs change. */
  assign(configs: Record<string, AssignedVersion>): void {
    for (const [path, version] of Object.entries(configs)) {
      const type = this.#versions.has(path) ? 'MODIFIED' : 'ADDED';
      this.#versions.set(path, version);
      for (const { response } of this.#streams.filter((stream) => stream.path === path))
        response.write(this.#line(type, path, version));
    }
  }

  /** Ends all streams as the gateway does at their timeout. */
  endStreams(): void {
    for (const { response } of this.#streams.splice(0)) response.end();
  }

  /** Ends the streams of a config with an ERROR event. */
  fail(path: string, code: number, message: string): void {
    const object = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message };
    const failed = this.#streams.filter((stream) => stream.path === path);
    this.#streams = this.#streams.filter((stream) => stream.path !== path);
    for (const { response } of failed) response.end(`${JSON.stringify({ type: 'ERROR', object })}\n`);
  }

  /** Reports that a config was deleted. */
  delete(path: string): void {
    const version = this.#versions.get(path);
    this.#versions.delete(path);
    for (const { response } of this.#streams.filter((stream) => stream.path === path))
      if (version !== undefined) response.write(this.#line('DELETED', path, version));
  }

  /** The acknowledgements of a config as `1.0.1 Acknowledged`. */
  results(config = 'configmaps/foo'): string[] {
    return this.acks
      .filter((ack) => ack.config === config)
      .map(({ version, result }) => `${version} ${result}`);
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '', 'https://gateway');
    const [, path = '', rest] = /^\/api\/v1\/namespaces\/shop\/(.+)\/current(\/ack)?$/.exec(pathname) ?? [];
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    this.tokens.push(token);
    const version = this.#versions.get(path);
    if (token !== this.token) this.#status(response, 401, 'Unauthorized');
    else if (rest === '/ack' && request.method === 'POST') void this.#acknowledge(path, request, response);
    else if (request.method !== 'GET' || searchParams.get('watch') !== 'true')
      this.#status(response, 405, 'not allowed');
    else if (this.refusal !== undefined) this.#status(response, this.refusal.code, this.refusal.message);
    else if (version === undefined) this.#status(response, 404, `${path} not found`);
    else {
      this.startedFrom.push(searchParams.get('resourceVersion'));
      this.#stream(path, version, response);
    }
  }

  #stream(path: string, version: AssignedVersion, response: ServerResponse): void {
    this.opened += 1;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(this.#line('ADDED', path, version));
    this.#streams.push({ path, response });
  }

  async #acknowledge(config: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    this.acks.push({ config, ...JSON.parse(text) });
    this.#status(response, this.ackStatuses.shift() ?? 200, 'ack');
  }

  #status(response: ServerResponse, code: number, message: string): void {
    const body = { kind: 'Status', apiVersion: 'v1', code, message };
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  #line(type: string, path: string, { version, data, assigned }: AssignedVersion): string {
    const [plural, name = ''] = path.split('/');
    const isSecret = plural === 'secrets';
    const encoded = Object.entries(data).map(([key, text]) => [
      key,
      isSecret ? Buffer.from(text).toString('base64') : text,
    ]);
    const annotations = {
      'trimtab.dev/object': objectName(name, version),
      ...(assigned !== undefined && { 'trimtab.dev/assigned': assigned }),
    };
    this.#resourceVersion += 1;
    const object = {
      apiVersion: 'v1',
      kind: isSecret ? 'Secret' : 'ConfigMap',
      metadata: {
        name,
        namespace: 'shop',
        version,
        resourceVersion: String(this.#resourceVersion),
        annotations,
      },
      data: Object.fromEntries(encoded),
    };
    return `${JSON.stringify({ type, object })}\n`;
  }
}

export function objectName(config: string, version: string): string {
  return `${config}-v${version.replaceAll('.', '-')}`;
}
