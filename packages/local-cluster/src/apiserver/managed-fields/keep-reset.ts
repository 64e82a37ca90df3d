import { getKey, type StoredMeta } from '../object.ts';

/**
 * Keeps an empty `managedFields`, which requests that all managers are forgotten. Decoding drops empty lists
 * elsewhere, as they have no meaning. Mutates the metadata.
 */
export function keepReset(body: unknown, metadata: StoredMeta): void {
  const sent = getKey(getKey(body, 'metadata'), 'managedFields');
  if (Array.isArray(sent) && sent.length === 0) metadata.managedFields = [];
}
