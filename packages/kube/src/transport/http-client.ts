import type { ClusterAccess } from '../access.ts';
import type {
  CallOptions,
  DeleteOptions,
  KubeClient,
  ListOptions,
  ObjectKey,
  Patch,
  RawRequest,
  ReadOptions,
  WatchOptions,
  WatchStream,
  WriteOptions,
} from '../client.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { Logger } from '../log/log.ts';
import { silentLogger } from '../log/silent-logger.ts';
import type { Registry } from '../metrics/metrics.ts';
import { apiVersion, type Resource } from '../resource.ts';
import type { KubeList, KubeObject } from '../wire.ts';
import { isJson, warningsOf } from './answer.ts';
import { type CallContext, call, openWatch } from './call.ts';
import { ConnectionPool } from './connection-pool.ts';
import { NetworkError } from './errors.ts';
import type { Answer } from './exchange.ts';
import { onlyMetadata, onlyMetadataOfItems } from './metadata-projection.ts';
import { requestMetrics } from './request-metrics.ts';
import type { RequestScheduler } from './request-scheduler.ts';
import {
  createShape,
  deleteShape,
  getShape,
  listShape,
  patchShape,
  type RequestShape,
  rawShape,
  updateShape,
  watchShape,
} from './request-shape.ts';
import { watchStream } from './watch-stream.ts';

const defaultTimeoutMs = 30_000;

export interface HttpClientOptions {
  access: ClusterAccess;
  /** Defaults to a silent logger. */
  log?: Logger;
  metrics?: Registry;
  clock?: Clock;
  /** User agent in the audit log of the API server. Defaults to `kube-client`. */
  userAgent?: string;
  /** Connections to share with other identities of the same cluster. Defaults to a new pool. */
  pool?: ConnectionPool;
  /** Limits concurrent requests. Defaults to that of the pool, which all clients of the pool share. */
  scheduler?: RequestScheduler;
  /** Limits the time that a server asks for with Retry-After. Unlimited by default. */
  maxRetryAfterMs?: number;
  /** Awaited before a response of this many bytes is parsed. By default, responses are parsed at once. */
  beforeParsing?(bytes: number): Promise<void>;
  /** Timeout of calls that do not set their own. Defaults to 30 s. */
  timeoutMs?: number;
}

/** Creates a client for one cluster as one identity. `close` closes its connection pool. */
export function httpClient(options: HttpClientOptions): KubeClient & { close(): void } {
  return new HttpClient(options);
}

class HttpClient implements KubeClient {
  readonly #caller: CallContext;
  readonly #timeoutMs: number;
  readonly #beforeParsing: HttpClientOptions['beforeParsing'];

  constructor(options: HttpClientOptions) {
    const { access, log = silentLogger, metrics, clock = systemClock, userAgent = 'kube-client' } = options;
    const pool = options.pool ?? new ConnectionPool(access, clock);
    this.#timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
    this.#beforeParsing = options.beforeParsing;
    const { scheduler = pool.scheduler } = options;
    this.#caller = {
      ...{ access, pool, scheduler, clock, log, userAgent },
      ...(options.maxRetryAfterMs !== undefined && { maxRetryAfterMs: options.maxRetryAfterMs }),
      metrics: metrics && requestMetrics(metrics),
    };
  }

  async get<T extends KubeObject>(
    resource: Resource,
    where: ObjectKey,
    options: ReadOptions = {},
  ): Promise<T> {
    const object = await this.#json<T>(getShape(resource, where, options), options);
    return options.projection === 'metadata' ? onlyMetadata(object) : object;
  }

  async list<T extends KubeObject>(resource: Resource, options: ListOptions = {}): Promise<KubeList<T>> {
    const answer = await this.#json<KubeList<T>>(listShape(resource, options), options);
    const list = { ...answer, items: answer.items ?? [] };
    return options.projection === 'metadata' ? onlyMetadataOfItems(list) : withKinds(resource, list);
  }

  create<T extends KubeObject>(resource: Resource, object: T, options: WriteOptions = {}): Promise<T> {
    return this.#json(createShape(resource, object, options), options);
  }

  update<T extends KubeObject>(resource: Resource, object: T, options: WriteOptions = {}): Promise<T> {
    return this.#json(updateShape(resource, object, options), options);
  }

  patch<T extends KubeObject>(
    resource: Resource,
    where: ObjectKey,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    return this.#json(patchShape(resource, where, patch, options), options);
  }

  async delete(resource: Resource, where: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    await this.#call(deleteShape(resource, where, options), options);
  }

  async watch(resource: Resource, options: WatchOptions): Promise<WatchStream> {
    const { signal, timeoutSeconds } = options;
    const limits = { signal, timeoutMs: defaultTimeoutMs };
    const open = await openWatch(this.#caller, watchShape(resource, options), limits);
    // A watch without bookmarks (Events have none) may be silent until the server ends it.
    const maxSilenceMs = options.maxSilenceMs ?? timeoutSeconds * 1000 + defaultTimeoutMs;
    return watchStream({
      ...open,
      clock: this.#caller.clock,
      signal,
      maxSilenceMs,
      projection: options.projection,
    });
  }

  async raw<T>(request: RawRequest): Promise<T> {
    const answer = await this.#call(rawShape(request), request);
    for (const text of warningsOf(answer)) request.onWarning?.(text);
    // Paths such as `/readyz` return text instead of JSON; the caller of such a path expects a string.
    return isJson(answer) ? parsed<T>(answer, request.path) : (answer.body.toString('utf8') as T);
  }

  close(): void {
    this.#caller.pool.close();
  }

  async #json<T>(shape: RequestShape, options: CallOptions): Promise<T> {
    const answer = await this.#call(shape, options);
    await this.#beforeParsing?.(answer.body.length);
    return parsed<T>(answer, `${shape.method} ${shape.path}`);
  }

  #call(
    shape: RequestShape,
    { signal, timeoutMs = this.#timeoutMs, lowPriority = false }: CallOptions,
  ): Promise<Answer> {
    return call(this.#caller, shape, { signal, timeoutMs, lowPriority });
  }
}

/** Adds apiVersion and kind to the items of a list, which lack them. Objects in watch events have both. */
function withKinds<T extends KubeObject>(resource: Resource, list: KubeList<T>): KubeList<T> {
  const type = { apiVersion: apiVersion(resource), kind: resource.kind };
  return {
    ...list,
    items: list.items.map((item) => (item.kind === undefined ? { ...type, ...item } : item)),
  };
}

function parsed<T>(answer: Answer, request: string): T {
  try {
    return JSON.parse(answer.body.toString('utf8'));
  } catch {
    const type = answer.headers['content-type'] ?? 'no content type';
    throw new NetworkError(
      'ERR_BODY_NOT_JSON',
      'maybe',
      `${request}: the body of the ${answer.status} response (${type}) is not JSON. Check that the server is a Kubernetes API server`,
    );
  }
}
