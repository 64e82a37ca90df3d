import { bodyFormat } from '../../request/content-type.ts';
import type { GatewayRequest } from '../../request/gateway-request.ts';
import { parseBody } from '../../request/parse-body.ts';

/** Whether an ordinary POST may name a version; what can't be read is for the API server to refuse. */
export function namesVersion(body: Buffer, headers: GatewayRequest['incoming']['headers']): boolean {
  // Both are cheap, and nearly every POST ends here. A backslash may hide the word.
  if (!body.includes('version') && !body.includes('\\')) return false;
  try {
    const { value, duplicates } = parseBody(body, bodyFormat(headers));
    const { metadata } = (value ?? {}) as { metadata?: { version?: unknown } };
    const named = metadata?.version !== undefined && metadata.version !== null;
    return named || duplicates.some((path) => path === 'metadata' || path === 'metadata.version');
  } catch {
    return false;
  }
}
