import type { Resource } from './resource.ts';
import type { KubeList, KubeObject } from './wire.ts';

/**
 * Client of a Kubernetes API server. Watches, leader election and events depend on this interface and not on a
 * transport. Every method rejects with an ApiError (the server responded with a Status), a NetworkError (no usable
 * response), an OperationalError `CredentialsUnavailable` (no credential for the request), or the reason of `signal`.
 * Reads are retried; a write is retried only when the server certainly did not execute it.
 */
export interface KubeClient {
  get<T extends KubeObject>(resource: Resource, where: ObjectKey, options?: ReadOptions): Promise<T>;
  /** Returns one page; `listAll` in paging.ts reads all pages. */
  list<T extends KubeObject>(resource: Resource, options?: ListOptions): Promise<KubeList<T>>;
  create<T extends KubeObject>(resource: Resource, object: T, options?: WriteOptions): Promise<T>;
  /** Sends a PUT with the object's resourceVersion, so a concurrent change results in a 409. */
  update<T extends KubeObject>(resource: Resource, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(
    resource: Resource,
    where: ObjectKey,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>;
  delete(resource: Resource, where: ObjectKey, options?: DeleteOptions): Promise<void>;
  /** Opens a watch; resolves when the server has responded with 200. */
  watch(resource: Resource, options: WatchOptions): Promise<WatchStream>;
  /** Sends a request to any other path, for example discovery or `/version`. */
  raw<T>(request: RawRequest): Promise<T>;
}

export interface ObjectKey {
  namespace?: string;
  name: string;
}

/** `metadata` requests PartialObjectMetadata: the metadata without the body, for kinds with large bodies. */
export type Projection = 'full' | 'metadata';

export interface CallOptions {
  signal?: AbortSignal;
  /**
   * Timeout of the whole call, including connecting, retries and reading the response body. Defaults to 30 s. For a
   * low-priority call, the timeout starts when the call leaves the queue.
   */
  timeoutMs?: number;
  /** Sends the request after all requests of normal priority; for calls whose result is not urgent. */
  lowPriority?: boolean;
}

export interface ReadOptions extends CallOptions {
  projection?: Projection;
  resourceVersion?: string;
}

export interface Selection {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  projection?: Projection;
}

export interface ListOptions extends Selection, CallOptions {
  limit?: number;
  continue?: string;
  resourceVersion?: string;
  resourceVersionMatch?: 'NotOlderThan' | 'Exact';
}

export interface WatchOptions extends Selection {
  signal: AbortSignal;
  resourceVersion?: string;
  /** The server ends the watch after this time. */
  timeoutSeconds: number;
  /**
   * The client ends the watch with a NetworkError after receiving no data for this time. The server sends a bookmark
   * about every minute for kinds that support bookmarks, so two to three minutes detect a dead connection. Defaults
   * to timeoutSeconds + 30 s.
   */
  maxSilenceMs?: number;
  sendInitialEvents?: boolean;
}

export interface WatchStream {
  /**
   * One parsed JSON document for each line, in order. Ends when the server ends the watch or `close` is called.
   * Throws a NetworkError when the connection breaks, or the reason of `signal`. Can be iterated only once.
   */
  events: AsyncIterable<unknown>;
  close(): void;
}

export interface WriteOptions extends CallOptions {
  dryRun?: boolean;
  fieldManager?: string;
  subresource?: string;
}

export interface DeleteOptions extends CallOptions {
  dryRun?: boolean;
  preconditions?: { uid?: string; resourceVersion?: string };
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  gracePeriodSeconds?: number;
}

export type Patch =
  | { type: 'json'; operations: JsonPatchOperation[] }
  | { type: 'merge' | 'strategic' | 'apply'; body: unknown; force?: boolean };

type JsonPatchOperation =
  | { op: 'test' | 'add' | 'replace'; path: string; value: unknown }
  | { op: 'remove'; path: string }
  | { op: 'move' | 'copy'; from: string; path: string };

export interface RawRequest extends CallOptions {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  contentType?: string;
  /** Called with the text of each Warning header of the response. */
  onWarning?(text: string): void;
}
