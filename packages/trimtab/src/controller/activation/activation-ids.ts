import { randomBytes } from 'node:crypto';
import type { Member } from '../../core/activation/types.ts';

/**
 * Ids of activations that have started. The id is written to workloads before it is written to a status. When the
 * status write fails or is not in the cache yet, the next reconciliation starts the activation again and must use the
 * same id, even if another config has joined the activation since.
 */
export class ActivationIds {
  readonly #ids = new Map<string, Map<string, string>>();

  /**
   * Returns the id function for one reconciliation of a group. Ids that this reconciliation does not request are
   * forgotten: their activations are in a status by now, or no longer desired.
   */
  of(group: string): (members: readonly Member[]) => string {
    // Keyed by the object of each target. An id is used once, even if the members have split into several activations.
    const before = new Map(this.#ids.get(group));
    const asked = new Map<string, string>();
    this.#ids.set(group, asked);
    return (members) => {
      const objects = members.map(({ target }) => target.object);
      const known = objects.flatMap((object) => before.get(object) ?? [])[0];
      const id = known ?? `${randomBytes(5).toString('hex')}-1`;
      for (const [object, its] of before) if (its === known) before.delete(object);
      for (const object of objects) asked.set(object, id);
      return id;
    };
  }
}
