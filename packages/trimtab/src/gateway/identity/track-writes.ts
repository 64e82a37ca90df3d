import type { KubeClient } from '@trimtab/kube/client.ts';
import { ApiError, NetworkError } from '@trimtab/kube/transport/errors.ts';

export interface TrackedClient {
  client: KubeClient;
  /** Whether a write of this client succeeded, or may have succeeded because its response was lost. */
  mayHaveWritten(): boolean;
}

/** A request may need several writes. When a later one fails, the error must not claim that nothing was changed. */
export function trackWrites(client: KubeClient): TrackedClient {
  let written = false;
  const note = async <T>(options: { dryRun?: boolean } | undefined, write: () => Promise<T>): Promise<T> => {
    if (options?.dryRun) return write();
    try {
      const answer = await write();
      written = true;
      return answer;
    } catch (error) {
      written ||= !isRefused(error);
      throw error;
    }
  };
  return {
    mayHaveWritten: () => written,
    client: {
      get: (resource, where, options) => client.get(resource, where, options),
      list: (resource, options) => client.list(resource, options),
      watch: (resource, options) => client.watch(resource, options),
      // The only POST requests of this kind are reviews, which change nothing.
      raw: (request) =>
        request.method === 'GET' || request.method === 'POST'
          ? client.raw(request)
          : note({ dryRun: Boolean(request.query?.['dryRun']) }, () => client.raw(request)),
      create: (resource, object, options) => note(options, () => client.create(resource, object, options)),
      update: (resource, object, options) => note(options, () => client.update(resource, object, options)),
      patch: (resource, where, patch, options) =>
        note(options, () => client.patch(resource, where, patch, options)),
      delete: (resource, where, options) => note(options, () => client.delete(resource, where, options)),
    },
  };
}

/** Whether the write certainly had no effect. A 5xx may report a failure after the object was stored. */
function isRefused(error: unknown): boolean {
  if (error instanceof ApiError) return error.status < 500;
  return error instanceof NetworkError && error.sent === 'no';
}
