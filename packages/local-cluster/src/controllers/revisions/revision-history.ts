import type { KubeClient } from '@trimtab/kube/client.ts';
import { controllerRevisions } from '@trimtab/kube/resource.ts';
import { isAlreadyExists, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { LabelSelector } from '../../apiserver/selector/object-selector.ts';
import type { ControllerRevision } from '../../objects/workloads.ts';
import type { Informer } from '../host/informers.ts';
import { carryOutClaim } from '../pods/carry-out-claim.ts';
import { claim } from '../pods/claim.ts';
import {
  holdsTemplate,
  inOrder,
  newRevision,
  type RevisionKind,
  surplus,
  type Templated,
} from './revision-data.ts';

export interface Owner extends Templated {
  spec: Templated['spec'] & { selector: LabelSelector; revisionHistoryLimit: number };
}

export interface History {
  /** Oldest first. The revision of the current template is last. */
  all: ControllerRevision[];
  update: ControllerRevision;
  /** Incremented when the name belongs to a revision with another template. The controller writes it to the status. */
  collisionCount: number | undefined;
}

/** The ControllerRevisions of StatefulSets and DaemonSets: previous templates, for `kubectl rollout undo`. */
export class RevisionHistory {
  readonly #client: KubeClient;
  readonly #cache: Informer<ControllerRevision>;
  readonly #kind: RevisionKind;

  constructor(client: KubeClient, cache: Informer<ControllerRevision>, kind: RevisionKind) {
    this.#client = client;
    this.#cache = cache;
    this.#kind = kind;
  }

  /**
   * Reads the revisions of an owner. Creates a revision for the current template; an older revision with the same
   * template becomes the newest instead.
   */
  async of(owner: Owner): Promise<History> {
    const known = inOrder(await this.#claimed(owner));
    const newest = known.at(-1);
    const next = (newest?.revision ?? 0) + 1;
    const same = known.filter((each) => holdsTemplate(each, owner.spec.template)).at(-1);
    const { collisionCount } = owner.status ?? {};
    if (same === undefined) {
      if (owner.metadata.deletionTimestamp !== undefined)
        return { all: known, update: newRevision(this.#kind, owner, next, collisionCount), collisionCount };
      const made = await this.#make(owner, next, collisionCount);
      return { all: [...known, made.update], ...made };
    }
    if (same === newest) return { all: known, update: same, collisionCount };
    const { namespace = '', name = '' } = same.metadata;
    const update = await this.#client.patch<ControllerRevision>(
      controllerRevisions,
      { namespace, name },
      { type: 'merge', body: { revision: next } },
    );
    return { all: [...known.filter((each) => each !== same), update], update, collisionCount };
  }

  /** Deletes the unused revisions beyond revisionHistoryLimit. */
  async prune(owner: Owner, all: readonly ControllerRevision[], used: ReadonlySet<string>): Promise<void> {
    const isLive = ({ metadata }: ControllerRevision) => used.has(metadata.name ?? '');
    for (const { metadata } of surplus(all, isLive, owner.spec.revisionHistoryLimit)) {
      const { namespace = '', name = '' } = metadata;
      await this.#client.delete(controllerRevisions, { namespace, name }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
  }

  #claimed(owner: Owner): Promise<ControllerRevision[]> {
    const { namespace = '', uid = '' } = owner.metadata;
    const candidates = [...this.#cache.controlledBy(uid), ...this.#cache.orphansIn(namespace)];
    const parties = { owner, ownerResource: this.#kind.owner, resource: controllerRevisions };
    return carryOutClaim(this.#client, parties, claim(owner, owner.spec.selector, candidates));
  }

  /** The name contains a hash. The collision count is incremented until no other template uses the name. */
  async #make(
    owner: Owner,
    revision: number,
    collisionCount: number | undefined,
  ): Promise<Pick<History, 'update' | 'collisionCount'>> {
    for (let collisions = collisionCount; ; collisions = (collisions ?? 0) + 1) {
      const wanted = newRevision(this.#kind, owner, revision, collisions);
      try {
        const update = await this.#client.create(controllerRevisions, wanted);
        return { update, collisionCount: collisions };
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
        const { namespace = '', name = '' } = wanted.metadata;
        const found = await this.#client.get<ControllerRevision>(controllerRevisions, { namespace, name });
        const isOurs = found.metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid);
        if (isOurs && holdsTemplate(found, owner.spec.template))
          return { update: found, collisionCount: collisions };
      }
    }
  }
}
