import type { KubeClient, Projection, Selection } from '../client.ts';
import type { Resource } from '../resource.ts';
import type { KubeObject } from '../wire.ts';

/** Which objects a reflector keeps, and what of each. */
export interface WatchedCollection<T> {
  client: KubeClient;
  resource: Resource;
  /** All namespaces unless told. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** `metadata`: bodies never leave the server. */
  projection: Projection;
  /** Reduces an object to what is kept; runs as it arrives, so that the rest is garbage at once. */
  transform(object: KubeObject): T;
}

export interface WatchTimings {
  /** Objects per page of a list. */
  pageSize: number;
  /** The server is asked to end each stream after a random time between these. */
  streamSeconds: { min: number; max: number };
  /** A stream on which nothing was said for so long is opened anew. Servers send a bookmark each minute. */
  silenceMs: number;
  /** The same before the stream is open, and until its initial events have ended. */
  initialSilenceMs: number;
  /** The collection is read anew after about this time, to heal what no one noticed. */
  relistEverySeconds: number;
  backoff: { initialMs: number; maxMs: number };
}

export const defaultTimings: WatchTimings = {
  pageSize: 500,
  streamSeconds: { min: 300, max: 600 },
  silenceMs: 150_000,
  initialSilenceMs: 30_000,
  relistEverySeconds: 1_800,
  backoff: { initialMs: 200, maxMs: 30_000 },
};

/** The part of the options that every request carries. */
export function selectionOf<T>(collection: WatchedCollection<T>): Selection {
  const { namespace, labelSelector, fieldSelector, projection } = collection;
  return {
    projection,
    ...(namespace !== undefined && { namespace }),
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  };
}
