import { createHmac } from 'node:crypto';

/**
 * The headers of Standard Webhooks: a receiver verifies one of the signatures, and refuses old timestamps. With two keys,
 * receivers that know either of them accept the request, so that a key can be replaced.
 */
export function signatureHeaders(
  keys: readonly Buffer[],
  id: string,
  timestampSeconds: number,
  body: string,
): Record<string, string> {
  const timestamp = String(timestampSeconds);
  const signatures = keys.map((key) => {
    const code = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    return `v1,${code}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  };
}

/** Parses keys, one in a line: `whsec_` and 24 to 64 bytes in base64. Returns undefined when a line is something else. */
export function parseSigningKeys(text: string): Buffer[] | undefined {
  const lines = text.split('\n').map((line) => line.trim());
  const keys = lines.filter((line) => line !== '').map(parseKey);
  return keys.length > 0 && keys.every((key) => key !== undefined) ? keys : undefined;
}

function parseKey(line: string): Buffer | undefined {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? [];
  const key = Buffer.from(encoded ?? '', 'base64');
  return key.length >= 24 && key.length <= 64 ? key : undefined;
}
