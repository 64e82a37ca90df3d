import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { OperationalError } from '@trimtab/kube/errors.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { UserInfo } from './admission/admission.ts';
import { type Audited, auditEvent } from './audit/audit-event.ts';
import type { AuditLog } from './audit/audit-log.ts';
import type { Discovery } from './discovery/discovery.ts';
import { verbFor } from './dispatch.ts';
import { badRequest, internalError, noSuchResource, StatusError } from './errors/status-error.ts';
import { type Authenticator, authenticate } from './identity/authenticator.ts';
import { accessRefused } from './identity/forbidden-message.ts';
import { impersonated } from './identity/impersonation.ts';
import { attributesFor } from './identity/request-attributes.ts';
import { podSession, refuseUpgrade } from './node-proxy/pod-session.ts';
import { renderJson } from './representation/render.ts';
import { includeObject } from './representation/table.ts';
import { keptBody } from './request/body.ts';
import { negotiate, type Representation } from './request/negotiation.ts';
import { type RequestInfo, requestInfo } from './request/request-info.ts';
import { checkTimeout } from './request/timeout.ts';
import { send } from './send.ts';
import type { Services } from './verbs/verb-request.ts';

export interface PipelineOptions {
  services: Services;
  discovery: Discovery;
  /** Tried in this order. */
  authenticators: readonly Authenticator[];
  auditLog: AuditLog | undefined;
  log: Logger;
}

const json: Pick<Representation, 'format' | 'pretty'> = { format: 'json', pretty: false };

/** Handles each request: authenticates and authorises the caller, runs the verb, sends the response. */
export class Pipeline {
  readonly #options: PipelineOptions;

  constructor(options: PipelineOptions) {
    this.#options = options;
  }

  async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const audited: Audited = {
      // As in Kubernetes, a request may bring its own ID.
      id: String(incoming.headers['audit-id'] || randomUUID()).slice(0, 64),
      receivedAt: this.#options.services.clock.now(),
      annotations: {},
    };
    response.setHeader('audit-id', audited.id);
    if (this.#options.auditLog !== undefined)
      response.once('close', () => this.#note(audited, incoming, response.statusCode));
    let as = json;
    const warnings: string[] = [];
    try {
      const { path, query } = target(incoming);
      as = { ...json, pretty: negotiatePretty(incoming, query) };
      const info = requestInfo(incoming.method ?? 'GET', path, query);
      if (info !== undefined) audited.info = info;
      checkTimeout(query, info);
      const user = await this.#identify(incoming, info, query, audited);
      if (isOdd(path)) return notFoundPage(response);
      if (info === undefined)
        throw badRequest('request path is invalid: it cannot be decoded, or has a segment of dots');
      this.#authorize(user, info, query);
      if (this.#sendPage(incoming, response, info, query, as)) return;
      const kind = this.#options.services.registry.find(info.group, info.version, info.resource);
      if (kind === undefined) return await this.#notFound(response, info, as);
      const representation = negotiate(incoming.headers.accept, query, {
        userAgent: incoming.headers['user-agent'],
        hasTables: kind.review === undefined,
      });
      as = representation;
      const { services } = this.#options;
      const isTable = representation.shape === 'table';
      const include = isTable ? includeObject(query) : 'Metadata';
      const render = { as: representation, now: services.clock.now(), includeObject: include };
      const { annotations } = audited;
      const request = {
        services,
        info,
        kind,
        query,
        user,
        render,
        incoming,
        response,
        warnings,
        annotations,
      };
      const answer = await verbFor(request)(request);
      if (answer === 'answered') return;
      // The body of a list is not audited: a list is a read, and its body is an array of pieces.
      if (typeof answer.body === 'string') audited.responseBody = answer.body;
      await send(response, answer.code, answer.body, as.format, warnings);
    } catch (error) {
      await this.#refuse(response, error, as, warnings, audited);
    }
  }

  /** Handles a protocol upgrade, as `kubectl exec` requests it. Resolves when the connection is closed. */
  async handleUpgrade(incoming: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const { services } = this.#options;
    const audited: Audited = { id: randomUUID(), receivedAt: services.clock.now(), annotations: {} };
    const note = (code: number) => this.#note(audited, incoming, code);
    try {
      const { path, query } = target(incoming);
      const info = requestInfo(incoming.method ?? 'GET', path, query);
      if (info === undefined)
        throw badRequest('request path is invalid: it cannot be decoded, or has a segment of dots');
      audited.info = info;
      const user = await this.#identify(incoming, info, query, audited);
      // Browsers open WebSockets with GET, so every session needs the permission to create, whatever its method.
      this.#authorize(user, { ...info, verb: 'create' }, query);
      const { namespace = '', name = '', subresource = '' } = info;
      const session = { subresource, namespace, name, query, agreed: () => note(101) };
      await podSession(services, session, incoming, socket, head);
    } catch (error) {
      if (!(error instanceof StatusError)) this.#options.log.error({ err: error }, 'upgrade failed');
      note(error instanceof StatusError ? error.status.code : 500);
      refuseUpgrade(socket, error);
    }
  }

  /** Returns the caller, or the user whom the caller impersonates. */
  async #identify(
    incoming: IncomingMessage,
    info: RequestInfo | undefined,
    query: URLSearchParams,
    audited: Audited,
  ): Promise<UserInfo> {
    const asker = await authenticate(incoming, this.#options.authenticators);
    audited.user = asker;
    if (info === undefined) return asker;
    const { authorise } = this.#options.services.access;
    const other = impersonated(incoming, asker, attributesFor(asker, info, query), authorise);
    if (other !== undefined) audited.impersonated = other;
    return other ?? asker;
  }

  #authorize(user: UserInfo, info: RequestInfo, query: URLSearchParams): void {
    const attributes = attributesFor(user, info, query);
    const { allowed, reason } = this.#options.services.access.authorise(attributes);
    if (!allowed) throw accessRefused(attributes, reason);
  }

  #note(audited: Audited, incoming: IncomingMessage, code: number): void {
    const { auditLog, services, log } = this.#options;
    try {
      const requestBody = keptBody(incoming)?.toString('utf8');
      const whole = requestBody === undefined ? audited : { ...audited, requestBody };
      const event = auditEvent(whole, incoming, code, services.clock.now());
      if (event !== undefined) auditLog?.write(event);
    } catch (err) {
      log.error({ err }, 'writing the audit event failed');
    }
  }

  /** Serves the pages that are not about objects, such as discovery. Returns whether the path is such a page. */
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

  /** Kubernetes responds with a Status below a group that it serves, and with plain text to any other path. */
  async #notFound(response: ServerResponse, info: RequestInfo, as: typeof json): Promise<void> {
    const isKnown =
      info.path.startsWith('/api/') ||
      this.#options.services.registry
        .all()
        .some(({ group }) => group !== '' && info.path.startsWith(`/apis/${group}/`));
    if (isKnown) {
      await this.#refuse(response, noSuchResource(), as, []);
      return;
    }
    notFoundPage(response);
  }

  async #refuse(
    response: ServerResponse,
    error: unknown,
    as: typeof json,
    warnings: string[],
    audited?: Audited,
  ): Promise<void> {
    if (response.destroyed || response.writableEnded) return;
    if (!(error instanceof StatusError)) this.#options.log.error({ err: error }, 'request failed');
    if (response.headersSent) return void response.destroy();
    const { status } = error instanceof StatusError ? error : fallback(error);
    const wait = status.details?.retryAfterSeconds;
    if (wait !== undefined) response.setHeader('retry-after', String(wait));
    // The rest of the request body is read and discarded: closing the connection early loses the response.
    response.req.resume();
    if (audited !== undefined) audited.responseBody = JSON.stringify(status);
    await send(response, status.code, asGo(renderJson(status, as), as.format), as.format, warnings);
  }
}

/** Whether a path has empty or dotted segments. Clients normalise paths, so such a path is deliberate. */
function isOdd(path: string): boolean {
  return path.includes('//') || path.split('/').some((part) => part === '.' || part === '..');
}

function notFoundPage(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' });
  response.end('404 page not found\n');
}

/** Go's JSON encoder escapes `<`, `>` and `&`. */
function asGo(text: string, format: Representation['format']): string {
  if (format !== 'json') return text;
  return text.replaceAll(/[<>&]/g, (each) => `\\u00${each.charCodeAt(0).toString(16)}`);
}

function fallback(error: unknown): StatusError {
  if (error instanceof OperationalError) return internalError(error.message);
  return internalError('unexpected error; see the log of the API server');
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
