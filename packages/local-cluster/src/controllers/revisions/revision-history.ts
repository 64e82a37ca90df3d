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
  /** Oldest first, the one of the present template last. */
  all: ControllerRevision[];
  update: ControllerRevision;
  /** Set when a name was taken by another template: to be written to the status. */
  collisionCount: number | undefined;
}

/** The ControllerRevisions of StatefulSets and DaemonSets: what they were, for `kubectl rollout undo`. */
export class RevisionHistory {
  readonly #client: KubeClient;
  readonly #cache: Informer<ControllerRevision>;
  readonly #kind: RevisionKind;

  constructor(client: KubeClient, cache: Informer<ControllerRevision>, kind: RevisionKind) {
    this.#client = client;
    this.#cache = cache;
    this.#kind = kind;
  }

  /** Reads the revisions of an owner, and makes the one of its present template, or the newest when it is an old one. */
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

  /** Removes what is beyond the limit and that nothing uses. */
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

  /** Its name is a hash: where another template has it, it is counted up until it is free. */
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
