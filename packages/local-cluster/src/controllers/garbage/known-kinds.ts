import { apiVersion, type Resource } from '@trimtab/kube/resource.ts';
import type { OwnerReference } from '@trimtab/kube/wire.ts';
import type { ServedKind } from '../host/served-kinds.ts';

/** Events have no owners and no dependents, and there are thousands of them: the collector ignores them. */
const isEventsResource = ({ group, plural }: Resource) =>
  plural === 'events' && ['', 'events.k8s.io'].includes(group);

/** The kinds that an owner reference may name, and the kinds that can be collected, from the last discovery. */
export class KnownKinds {
  readonly #byType: ReadonlyMap<string, Resource>;
  /** The preferred version of each kind that can be deleted, listed and watched. */
  readonly collectable: readonly Resource[];

  constructor(served: readonly ServedKind[] = []) {
    this.#byType = new Map(served.map((each) => [`${apiVersion(each)} ${each.kind}`, each]));
    this.collectable = served.filter(
      (each) =>
        each.preferred &&
        !isEventsResource(each) &&
        ['delete', 'list', 'watch'].every((verb) => each.verbs.includes(verb)),
    );
  }

  /** Returns undefined for a kind that is not served, or not served yet. */
  of(reference: OwnerReference): Resource | undefined {
    return this.#byType.get(`${reference.apiVersion} ${reference.kind}`);
  }

  hasKindOf({ group, plural }: Resource): boolean {
    return this.collectable.some((each) => each.group === group && each.plural === plural);
  }
}
