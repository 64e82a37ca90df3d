import { badRequest } from '../answer/status-error.ts';
import { bodyFormat } from './content-type.ts';
import { writeParameters } from './field-validation.ts';
import type { GatewayRequest } from './gateway-request.ts';
import { parseBody, refuseDuplicates } from './parse-body.ts';
import { readBody } from './read-body.ts';

export interface DeleteRequest {
  dryRun: boolean;
  preconditions: { uid?: string; resourceVersion?: string };
}

/** Clients say "only rehearse it" in the query or in the body: whoever overlooks either deletes what they should not. */
export async function readDeleteRequest({ incoming, query }: GatewayRequest): Promise<DeleteRequest> {
  const { dryRun } = writeParameters(query);
  const body = await readBody(incoming);
  if (body.length === 0) return { dryRun, preconditions: {} };
  const parsed = parseBody(body, bodyFormat(incoming.headers));
  refuseDuplicates(parsed);
  return readOptions(parsed.value ?? {}, dryRun);
}

function readOptions(value: unknown, dryRun: boolean): DeleteRequest {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('the body of a DELETE is a DeleteOptions, or nothing');
  const { kind = 'DeleteOptions', dryRun: asked = [], preconditions = {} } = value as Record<string, unknown>;
  if (kind !== 'DeleteOptions')
    throw badRequest(`the body of a DELETE is a DeleteOptions, and not a ${JSON.stringify(kind)}`);
  if (!Array.isArray(asked) || asked.some((each) => each !== 'All'))
    throw badRequest('dryRun of the DeleteOptions has to be ["All"], or missing');
  const { uid, resourceVersion } = (preconditions ?? {}) as Record<string, unknown>;
  for (const [field, text] of Object.entries({ uid, resourceVersion }))
    if (text !== undefined && text !== null && typeof text !== 'string')
      throw badRequest(`preconditions.${field} of the DeleteOptions has to be text`);
  return {
    dryRun: dryRun || asked.length > 0,
    preconditions: {
      ...(typeof uid === 'string' && { uid }),
      ...(typeof resourceVersion === 'string' && { resourceVersion }),
    },
  };
}
