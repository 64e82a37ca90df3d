import { getKey, type StoredMeta } from '../object.ts';

/**
 * An empty list of managers is a wish, that nobody be remembered, where empty lists elsewhere are nothing and lost in
 * decoding. Changes the metadata.
 */
export function keepReset(body: unknown, metadata: StoredMeta): void {
  const sent = getKey(getKey(body, 'metadata'), 'managedFields');
  if (Array.isArray(sent) && sent.length === 0) metadata.managedFields = [];
}
