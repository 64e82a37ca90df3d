import { bodyFormat } from '../../request/content-type.ts';
import type { GatewayRequest } from '../../request/gateway-request.ts';
import { parseBody } from '../../request/parse-body.ts';
import { BeyondLimits, maxDuplicates } from '../../request/parse-limits.ts';

/** Whether a POST to the collection names a version. The API server refuses a body that cannot be parsed. */
export function namesVersion(body: Buffer, headers: GatewayRequest['incoming']['headers']): boolean {
  // A cheap check that settles nearly every POST. A backslash may be part of an escaped key.
  if (!body.includes('version') && !body.includes('\\')) return false;
  try {
    const { value, duplicates } = parseBody(body, bodyFormat(headers));
    const { metadata } = (value ?? {}) as { metadata?: { version?: unknown } };
    const named = metadata?.version !== undefined;
    // A list at its limit may lack the duplicate that matters.
    const isCut = duplicates.length === maxDuplicates;
    return named || isCut || duplicates.some((path) => path === 'metadata' || path === 'metadata.version');
  } catch (error) {
    // The API server would drop the version of a body that only the gateway does not parse.
    return error instanceof BeyondLimits;
  }
}
