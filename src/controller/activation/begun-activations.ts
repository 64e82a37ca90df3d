import { randomBytes } from 'node:crypto';
import type { Member } from '../../core/activation/types.ts';

/**
 * Ids of activations that have begun. One that begins has its id on workloads before it has it in a status; when
 * that write fails, the next look begins it again and must give it the same id.
 */
export class BegunActivations {
  readonly #ids = new Map<string, Map<string, string>>();

  /** For one look at a namespace: what it does not ask for is under way by now, or not wanted any more. */
  of(namespace: string): (members: readonly Member[]) => string {
    const before = this.#ids.get(namespace);
    const asked = new Map<string, string>();
    this.#ids.set(namespace, asked);
    return (members) => {
      const key = members.map(({ target }) => target.object).join(' ');
      const id = before?.get(key) ?? `${randomBytes(5).toString('hex')}-1`;
      asked.set(key, id);
      return id;
    };
  }
}
