import type { Patch } from '@trimtab/kube/client.ts';
import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';
import { ApiError, isConflict } from '@trimtab/kube/transport/errors.ts';
import type { ConfigRollout } from '../api/config-rollout.ts';
import { configRollouts } from '../api/config-rollout.ts';
import { annotations } from '../api/names.ts';
import { formatLedger, type Ledger } from '../core/version/ledger.ts';
import { type VersionWriter, writing } from './version-writer.ts';

/**
 * Writes the ledger only if it still has the text that was read: no deletion that another writer recorded is forgotten.
 * Returns undefined when it has changed.
 */
export async function writeLedger(
  writer: VersionWriter,
  rollout: ConfigRollout,
  ledger: Ledger,
): Promise<ConfigRollout | undefined> {
  const { namespace = '', name = '', uid, resourceVersion } = rollout.metadata;
  const before = rollout.metadata.annotations?.[annotations.ledger];
  const value = formatLedger(ledger);
  if (before === value) return rollout;
  const path = jsonPointer('metadata', 'annotations', annotations.ledger);
  const patch: Patch =
    before === undefined
      ? {
          type: 'merge',
          body: { metadata: { uid, resourceVersion, annotations: { [annotations.ledger]: value } } },
        }
      : {
          type: 'json',
          operations: [
            { op: 'test', path: '/metadata/uid', value: uid },
            { op: 'test', path, value: before },
            { op: 'replace', path, value },
          ],
        };
  try {
    return await writer.client.patch<ConfigRollout>(
      configRollouts,
      { namespace, name },
      patch,
      writing(writer),
    );
  } catch (error) {
    // A failed test is a 422, like an invalid object, but a ledger cannot make the object invalid.
    if (isConflict(error) || (error instanceof ApiError && error.status === 422)) return undefined;
    throw error;
  }
}
