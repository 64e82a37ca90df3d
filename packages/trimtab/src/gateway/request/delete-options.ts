import { quoted } from '../../core/messages/quoted.ts';
import { badRequest } from '../../versions/refusal.ts';
import type { DeleteRequest } from '../../versions/writes/delete-versions.ts';
import { bodyFormat } from './content-type.ts';
import { writeParameters } from './field-validation.ts';
import type { GatewayRequest } from './gateway-request.ts';
import { parseBody, refuseDuplicates } from './parse-body.ts';

/** Clients set dryRun in the query or in the body. Both are read: ignoring one would delete objects in a dry run. */
export async function readDeleteRequest({
  incoming,
  query,
  readBody,
}: GatewayRequest): Promise<DeleteRequest> {
  const { dryRun } = writeParameters(query);
  const body = await readBody();
  if (body.length === 0) return { dryRun, preconditions: {} };
  const parsed = parseBody(body, bodyFormat(incoming.headers));
  refuseDuplicates(parsed);
  return readOptions(parsed.value, dryRun);
}

/** `?purge=true`. Any other value is refused: a client that asks for something must not get something else. */
export function isPurge(query: URLSearchParams): boolean {
  const given = query.getAll('purge').filter((each) => each !== '');
  if (given.some((each) => each !== 'true' && each !== 'false'))
    throw badRequest('the parameter purge must be true, false or absent');
  return given.includes('true');
}

function readOptions(value: unknown, dryRun: boolean): DeleteRequest {
  // YAML with only comments.
  if (value === undefined) return { dryRun, preconditions: {} };
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('the body of a DELETE must be a DeleteOptions object or empty');
  const { kind = 'DeleteOptions', dryRun: asked = [], preconditions = {} } = value as Record<string, unknown>;
  if (kind !== 'DeleteOptions')
    throw badRequest(`the body of a DELETE must be of kind "DeleteOptions", not ${quoted(kind)}`);
  if (!Array.isArray(asked) || asked.some((each) => each !== 'All'))
    throw badRequest('dryRun of the DeleteOptions must be ["All"] or absent');
  const { uid, resourceVersion } = (preconditions ?? {}) as Record<string, unknown>;
  for (const [field, text] of Object.entries({ uid, resourceVersion }))
    if (text !== undefined && text !== null && typeof text !== 'string')
      throw badRequest(`preconditions.${field} of the DeleteOptions must be a string`);
  return {
    dryRun: dryRun || asked.length > 0,
    preconditions: {
      ...(typeof uid === 'string' && { uid }),
      ...(typeof resourceVersion === 'string' && { resourceVersion }),
    },
  };
}
