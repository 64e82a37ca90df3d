import { ApiError, isAlreadyExists, isNotFound, NetworkError } from '../transport/errors.ts';

/**
 * `exists`: the event is there, an earlier try of ours did arrive. `missing`: it expired or was deleted, make it
 * anew. `gone`: its namespace goes away, nobody will look. `later`: the server may take it next time.
 */
type WriteFailure = 'exists' | 'missing' | 'gone' | 'later' | 'refused';

/** What a failed write means for an event. */
export function writeFailure(verb: 'create' | 'patch', error: unknown): WriteFailure {
  if (error instanceof NetworkError) return 'later';
  if (!(error instanceof ApiError)) return 'refused';
  if (verb === 'patch' && isNotFound(error)) return 'missing';
  if (verb === 'create' && isAlreadyExists(error)) return 'exists';
  // Creating something answers 404 when its namespace does not exist.
  if (isNotFound(error) || isTerminating(error)) return 'gone';
  return error.status === 429 || error.status >= 500 || error.status === 409 ? 'later' : 'refused';
}

function isTerminating(error: ApiError): boolean {
  return error.body.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false;
}
