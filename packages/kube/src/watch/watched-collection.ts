import type { KubeClient, Projection, Selection } from '../client.ts';
import type { Resource } from '../resource.ts';
import type { KubeObject } from '../wire.ts';

/** The objects that a reflector caches, and the part of each object that it keeps. */
export interface WatchedCollection<T> {
  client: Pick<KubeClient, 'list' | 'watch'>;
  resource: Resource;
  /** Optional; defaults to all namespaces. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** With `metadata`, the server sends no bodies. */
  projection: Projection;
  /** Reduces an object to the cached value. Called as the object arrives, so the rest is garbage collected early. */
  transform(object: KubeObject): T;
}

export interface WatchTimings {
  /** Objects per page of a list. */
  pageSize: number;
  /** Each watch requests a random timeoutSeconds between `min` and `max`. */
  streamSeconds: { min: number; max: number };
  /** A stream without events or bookmarks for this time is reopened. Servers send a bookmark about every minute. */
  silenceMs: number;
  /** The limit while the stream is opening, and until its initial events have ended. */
  initialSilenceMs: number;
  /** Approximate interval of periodic relists, which repair undetected differences between cache and server. */
  relistEverySeconds: number;
  /** `maxRetryAfterMs` limits the time that a server asks for with Retry-After. Unlimited by default. */
  backoff: { initialMs: number; maxMs: number; maxRetryAfterMs?: number };
}

export const defaultTimings: WatchTimings = {
  pageSize: 500,
  streamSeconds: { min: 300, max: 600 },
  silenceMs: 150_000,
  initialSilenceMs: 30_000,
  relistEverySeconds: 1_800,
  backoff: { initialMs: 200, maxMs: 30_000 },
};

/** Options that every list and watch request carries. */
export function selectionOf<T>(collection: WatchedCollection<T>): Selection {
  const { namespace, labelSelector, fieldSelector, projection } = collection;
  return {
    projection,
    ...(namespace !== undefined && { namespace }),
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  };
}
