import { createHash } from 'node:crypto';

/** Documents and layers are named by their digests. */
export function digest(content: Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
