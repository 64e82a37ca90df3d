import { createHash } from 'node:crypto';
import type { FileSet, SetIdentity } from './file-set.ts';

/** The files of all volumes of a pod. They are written, accepted and restored together. */
export interface VolumesSet extends SetIdentity {
  configHash: string;
  /** First the contents of the configs, which only the agent reads, then one set for each volume. */
  members: readonly FileSet[];
}

/** Identifies a set by the sets of its members. */
export function hashOfMembers(hashes: readonly string[]): string {
  return createHash('sha256').update(hashes.join('\n')).digest('hex');
}
