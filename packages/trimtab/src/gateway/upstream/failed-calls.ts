import type { KubeClient } from '@trimtab/kube/client.ts';
import { ApiError, NetworkError } from '@trimtab/kube/transport/errors.ts';

/** The code of an API call that failed because of the API server; undefined for any other error. */
export function failureCode(error: unknown): string | undefined {
  if (error instanceof NetworkError) return error.code;
  return error instanceof ApiError && error.status >= 500 ? String(error.status) : undefined;
}

/** Reports each failed call of the client once, whatever its caller makes of the failure. */
export function reportingFailures(client: KubeClient, failed: (code: string) => void): KubeClient {
  const watched = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      const code = failureCode(error);
      if (code !== undefined) failed(code);
      throw error;
    }
  };
  return {
    get: (resource, where, options) => watched(client.get(resource, where, options)),
    list: (resource, options) => watched(client.list(resource, options)),
    watch: (resource, options) => watched(client.watch(resource, options)),
    raw: (request) => watched(client.raw(request)),
    create: (resource, object, options) => watched(client.create(resource, object, options)),
    update: (resource, object, options) => watched(client.update(resource, object, options)),
    patch: (resource, where, patch, options) => watched(client.patch(resource, where, patch, options)),
    delete: (resource, where, options) => watched(client.delete(resource, where, options)),
  };
}
