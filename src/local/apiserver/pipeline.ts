import type { IncomingMessage, ServerResponse } from 'node:http';
import { TrimtabError } from '../../api/errors.ts';
import type { Logger } from '../../platform/log.ts';
import type { UserInfo } from './admission/admission.ts';
import type { Discovery } from './discovery/discovery.ts';
import { verbFor } from './dispatch.ts';
import {
  badRequest,
  internalError,
  noSuchResource,
  StatusError,
  unauthorized,
} from './errors/status-error.ts';
import type { Authenticator } from './identity/authenticator.ts';
import type { Authorizer } from './identity/authorizer.ts';
import { accessRefused } from './identity/forbidden-message.ts';
import type { KindRegistry } from './kinds/kind-registry.ts';
import { renderJson } from './representation/render.ts';
import { includeObject } from './representation/table.ts';
import { negotiate, type Representation } from './request/negotiation.ts';
import { type RequestInfo, requestInfo } from './request/request-info.ts';
import type { Services } from './verbs/verb-request.ts';

export interface PipelineOptions {
  registry: KindRegistry;
  services: Services;
  discovery: Discovery;
  /** Asked in this order. */
  authenticators: readonly Authenticator[];
  authorizer: Authorizer;
  log: Logger;
}

/** Anybody may ask how the server is and what it is. */
const publicPaths = ['/healthz', '/livez', '/readyz', '/version'];
const json: Pick<Representation, 'format' | 'pretty'> = { format: 'json', pretty: false };

/** What happens to each request, in this order: who, what, may they, do it, show it. */
export class Pipeline {
  readonly #options: PipelineOptions;

  constructor(options: PipelineOptions) {
    this.#options = options;
  }

  async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let as = json;
    const warnings: string[] = [];
    try {
      const { path, query } = target(incoming);
      as = { ...json, pretty: negotiatePretty(incoming, query) };
      const user = await this.#authenticate(incoming, path);
      if (isOdd(path)) return notFoundPage(response);
      const info = requestInfo(incoming.method ?? 'GET', path, query);
      if (info === undefined) throw badRequest('the path of the request cannot be decoded');
      this.#authorize(user, info);
      if (this.#sendPage(incoming, response, info, query, as)) return;
      const kind = this.#options.registry.find(info.group, info.version, info.resource);
      if (kind === undefined) return this.#notFound(response, info, as);
      const representation = negotiate(incoming.headers.accept, query, incoming.headers['user-agent']);
      as = representation;
      const { services } = this.#options;
      const isTable = representation.shape === 'table';
      const include = isTable ? includeObject(query) : 'Metadata';
      const render = { as: representation, now: services.clock.now(), includeObject: include };
      const request = { services, info, kind, query, user, render, incoming, response, warnings };
      const answer = await verbFor(request)(request);
      if (answer !== 'answered') send(response, answer.code, answer.body, as.format, warnings);
    } catch (error) {
      this.#refuse(response, error, as, warnings);
    }
  }

  async #authenticate(incoming: IncomingMessage, path: string): Promise<UserInfo> {
    for (const authenticator of this.#options.authenticators) {
      const user = await authenticator.authenticate(incoming);
      if (user !== undefined) return { ...user, groups: [...user.groups, 'system:authenticated'] };
    }
    if (publicPaths.includes(path) && incoming.headers.authorization === undefined)
      return { username: 'system:anonymous', groups: ['system:unauthenticated'] };
    throw unauthorized();
  }

  #authorize(user: UserInfo, info: RequestInfo): void {
    if (publicPaths.includes(info.path)) return;
    const { allowed, reason } = this.#options.authorizer.authorize(user, info);
    if (!allowed) throw accessRefused(user, info, reason);
  }

  /** Whether it was one of the pages that are not about objects. */
  #sendPage(
    incoming: IncomingMessage,
    response: ServerResponse,
    info: RequestInfo,
    query: URLSearchParams,
    as: typeof json,
  ): boolean {
    if (info.isResource && info.path.split('/').filter((part) => part !== '').length > 3) return false;
    if (incoming.method !== 'GET' && incoming.method !== 'HEAD') return false;
    const page = this.#options.discovery.page(info.path, incoming, query);
    if (page === undefined) return false;
    const { body, contentType = 'application/json', headers } = page;
    const text = typeof body === 'string' ? body : renderJson(body, as);
    const etag = headers?.['etag'];
    if (etag !== undefined && incoming.headers['if-none-match'] === etag) {
      response.writeHead(304, { etag }).end();
      return true;
    }
    response.writeHead(200, {
      'content-type': contentType,
      'cache-control': 'no-cache, private',
      'content-length': Buffer.byteLength(text),
      ...headers,
    });
    response.end(text);
    return true;
  }

  /** Kubernetes answers a Status for what it could know, and plain text for what it never heard of. */
  #notFound(response: ServerResponse, info: RequestInfo, as: typeof json): void {
    const isKnown =
      info.path.startsWith('/api/') ||
      this.#options.registry
        .all()
        .some(({ group }) => group !== '' && info.path.startsWith(`/apis/${group}/`));
    if (isKnown) {
      this.#refuse(response, noSuchResource(), as, []);
      return;
    }
    notFoundPage(response);
  }

  #refuse(response: ServerResponse, error: unknown, as: typeof json, warnings: string[]): void {
    if (response.destroyed || response.writableEnded) return;
    if (!(error instanceof StatusError)) this.#options.log.error({ err: error }, 'request failed');
    if (response.headersSent) return void response.destroy();
    const { status } = error instanceof StatusError ? error : fallback(error);
    const wait = status.details?.retryAfterSeconds;
    if (wait !== undefined) response.setHeader('retry-after', String(wait));
    // What is left of a body is taken and thrown away: a connection that ends early takes the answer along.
    response.req.resume();
    send(response, status.code, renderJson(status, as), as.format, warnings);
  }
}

/** Empty and dotted steps: a browser would have tidied them up, so somebody means something by them. */
function isOdd(path: string): boolean {
  return path.includes('//') || path.split('/').some((part) => part === '.' || part === '..');
}

function notFoundPage(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' });
  response.end('404 page not found\n');
}

function fallback(error: unknown): StatusError {
  if (error instanceof TrimtabError) return internalError(error.message);
  return internalError('the server failed; its log says why');
}

function send(
  response: ServerResponse,
  code: number,
  body: string,
  format: Representation['format'],
  warnings: readonly string[],
): void {
  const headers: [string, string][] = [
    ['content-type', format === 'yaml' ? 'application/yaml' : 'application/json'],
    ['cache-control', 'no-cache, private'],
    ['content-length', String(Buffer.byteLength(body))],
    ...warnings.map((text): [string, string] => ['warning', `299 - ${quoted(text)}`]),
  ];
  for (const [name, value] of headers) response.appendHeader(name, value);
  response.writeHead(code);
  response.end(body);
}

/** A header holds Latin-1 only; a client gets the gist of anything else. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/[^\x20-\x7e]/g, '?');
}

function negotiatePretty({ headers }: IncomingMessage, query: URLSearchParams): boolean {
  if (query.has('pretty')) return !['false', '0'].includes(query.get('pretty') ?? '');
  return /^(curl|Wget|Mozilla\/5\.0)/.test(headers['user-agent'] ?? '');
}

function target({ url = '/' }: IncomingMessage): { path: string; query: URLSearchParams } {
  const mark = url.indexOf('?');
  if (mark < 0) return { path: url, query: new URLSearchParams() };
  return { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) };
}
