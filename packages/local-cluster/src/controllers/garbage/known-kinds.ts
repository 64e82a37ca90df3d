import { apiVersion, type Resource } from '@trimtab/kube/resource.ts';
import type { OwnerReference } from '@trimtab/kube/wire.ts';
import type { ServedKind } from '../host/served-kinds.ts';

/** Events are news: they own nothing, are owned by nobody, and come by the thousand. */
const hasChanged = ({ group, plural }: Resource) =>
  plural === 'events' && ['', 'events.k8s.io'].includes(group);

/** What an owner reference may name, and what can be collected, as far as the server has told. */
export class KnownKinds {
  readonly #byType: ReadonlyMap<string, Resource>;
  /** One version of each kind. */
  readonly collectable: readonly Resource[];

  constructor(served: readonly ServedKind[] = []) {
    this.#byType = new Map(served.map((each) => [`${apiVersion(each)} ${each.kind}`, each]));
    this.collectable = served.filter(
      (each) =>
        each.preferred &&
        !hasChanged(each) &&
        ['delete', 'list', 'watch'].every((verb) => each.verbs.includes(verb)),
    );
  }

  /** Undefined for a kind that nobody serves, or that nobody serves yet. */
  of(reference: OwnerReference): Resource | undefined {
    return this.#byType.get(`${reference.apiVersion} ${reference.kind}`);
  }

  hasKindOf({ group, plural }: Resource): boolean {
    return this.collectable.some((each) => each.group === group && each.plural === plural);
  }
}
