import type { Resource } from './resource.ts';
import type { KubeList, KubeObject } from './wire.ts';

/**
 * What the rest of Trimtab may ask of a Kubernetes API server. It is an interface so that watch, Lease and
 * events depend on this page and not on a transport. Every method rejects with an ApiError (the server
 * answered with a Status), a NetworkError (it did not answer), a OperationalError `CredentialsUnavailable` (there is
 * no identity to ask with), or the reason of `signal`. Reads are retried, writes only when certainly not done.
 */
export interface KubeClient {
  get<T extends KubeObject>(resource: Resource, where: ObjectKey, options?: ReadOptions): Promise<T>;
  /** One page; `listAll` in paging.ts walks all of them. */
  list<T extends KubeObject>(resource: Resource, options?: ListOptions): Promise<KubeList<T>>;
  create<T extends KubeObject>(resource: Resource, object: T, options?: WriteOptions): Promise<T>;
  /** PUT: carries the object's resourceVersion, so a concurrent change is a 409. */
  update<T extends KubeObject>(resource: Resource, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(
    resource: Resource,
    where: ObjectKey,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>;
  delete(resource: Resource, where: ObjectKey, options?: DeleteOptions): Promise<void>;
  /** Opens a watch; resolves when the server has answered 200. */
  watch(resource: Resource, options: WatchOptions): Promise<WatchStream>;
  /** Any other path, for discovery, `/version` and the like. */
  raw<T>(request: RawRequest): Promise<T>;
}

export interface ObjectKey {
  namespace?: string;
  name: string;
}

/** `metadata` asks for PartialObjectMetadata: everything but the body, for kinds whose bodies are large. */
export type Projection = 'full' | 'metadata';

export interface CallOptions {
  signal?: AbortSignal;
  /**
   * How long the whole call may take, with connecting, retries and the last byte received; 30 s unless told. What
   * can wait has as long from its turn on.
   */
  timeoutMs?: number;
  /** Nothing waits for its answer: requests that somebody waits for go first. */
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
  /** The server ends the watch after this long. */
  timeoutSeconds: number;
  /**
   * We end it with a NetworkError when nothing at all comes for this long. Kinds with bookmarks send one about
   * every minute, so that two to three minutes find a dead peer; unless told, a little more than timeoutSeconds.
   */
  maxSilenceMs?: number;
  sendInitialEvents?: boolean;
}

export interface WatchStream {
  /**
   * One parsed JSON document for each line, in order. Ends when the server ends the watch or `close` was called;
   * throws a NetworkError when the connection breaks, or the reason of `signal`. Can be walked once.
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
}
