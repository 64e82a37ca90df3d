import { ApiError } from '@trimtab/kube/transport/errors.ts';

/** The API server's message for a failed request. It appears in Events and conditions. */
export function errorText(error: unknown): string {
  if (error instanceof ApiError && error.body.message) return error.body.message;
  return error instanceof Error ? error.message : String(error);
}

/** The API server rejects creations in a terminating namespace. Controllers do not report this as a failure. */
export function isNamespaceGoing(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    (error.body.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')
  );
}
