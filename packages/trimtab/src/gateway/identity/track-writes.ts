import type { KubeClient } from '@trimtab/kube/client.ts';
import { ApiError, NetworkError } from '@trimtab/kube/transport/errors.ts';

export interface TrackedClient {
  client: KubeClient;
  /** Something was changed with this client, or may have been: nobody has heard the answer. */
  mayHaveWritten(): boolean;
}

/** A request may take several writes: one that fails after the first of them must not say that nothing was changed. */
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
      raw: (request) => client.raw(request),
      create: (resource, object, options) => note(options, () => client.create(resource, object, options)),
      update: (resource, object, options) => note(options, () => client.update(resource, object, options)),
      patch: (resource, where, patch, options) =>
        note(options, () => client.patch(resource, where, patch, options)),
      delete: (resource, where, options) => note(options, () => client.delete(resource, where, options)),
    },
  };
}

/** It certainly was not done. What an API server says with a 5xx may be about what came after. */
function isRefused(error: unknown): boolean {
  if (error instanceof ApiError) return error.status < 500;
  return error instanceof NetworkError && error.sent === 'no';
}
