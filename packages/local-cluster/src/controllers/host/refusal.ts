import { ApiError } from '@trimtab/kube/transport/errors.ts';

/** Why a call failed, in the server's own words: these go to Events and conditions. */
export function errorText(error: unknown): string {
  if (error instanceof ApiError && error.body.message) return error.body.message;
  return error instanceof Error ? error.message : String(error);
}

/** Nothing can be made in a namespace that goes away, and nothing has to be told about it. */
export function isNamespaceGoing(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    (error.body.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')
  );
}
