import { createHash } from 'node:crypto';

/** A hash that stands for credentials in keys, so that neither a memory dump nor a message reveals them. */
export function fingerprint(credentials: string): string {
  return createHash('sha256').update(credentials).digest('base64');
}
