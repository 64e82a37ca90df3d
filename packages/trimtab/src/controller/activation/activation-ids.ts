import { randomBytes } from 'node:crypto';
import type { Member } from '../../core/activation/types.ts';

/**
 * Ids of activations that have begun. One that begins has its id on workloads before it has it in a status; when
 * that write fails or is not seen yet, the next look begins it again and must give it the same id, be it with
 * another config that has come along meanwhile.
 */
export class ActivationIds {
  readonly #ids = new Map<string, Map<string, string>>();

  /** For one look at a group: what it does not ask for is under way by now, or not wanted any more. */
  of(group: string): (members: readonly Member[]) => string {
    // By the object of each target: an id is given out once, even when what it began with has come apart.
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
