import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import { ApiError, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject, OwnerReference } from '@trimtab/kube/wire.ts';
import { foreground, type Node, referenceText } from './owner-graph.ts';
import type { OwnerState } from './plan-collection.ts';

/** Maximum number of absent owners to remember. Large enough for all owners that are deleted at the same time. */
const remembered = 2_000;

/** Reads the state of owners from the API server. An absent owner stays absent, so it is requested only once. */
export class OwnerStates {
  readonly #client: KubeClient;
  readonly #absent = new Set<string>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** Called when a watch has reported the deletion of this object. */
  gone(uid: string): void {
    this.#remember(uid);
  }

  /** Returns undefined when the state is unknown: the kind is no longer served, and its objects may still exist. */
  async of(
    dependent: Node,
    reference: OwnerReference,
    resource: Resource,
    signal: AbortSignal,
  ): Promise<OwnerState | undefined> {
    const namespace = resource.namespaced ? dependent.namespace : undefined;
    const known = referenceText(reference, namespace);
    if (this.#absent.has(reference.uid) || this.#absent.has(known)) return 'absent';
    const where = { name: reference.name, ...(namespace !== undefined && { namespace }) };
    const owner = await this.#client
      .get<KubeObject>(resource, where, { projection: 'metadata', signal })
      .catch((error: unknown) => {
        if (isNotFound(error)) return isAbout(error, reference.name) ? 'absent' : 'unserved';
        throw error;
      });
    if (owner === 'unserved') return undefined;
    if (owner === 'absent' || owner.metadata.uid !== reference.uid) {
      this.#remember(known);
      return 'absent';
    }
    const { deletionTimestamp, finalizers = [] } = owner.metadata;
    return deletionTimestamp !== undefined && finalizers.includes(foreground) ? 'waiting' : 'solid';
  }

  #remember(what: string): void {
    this.#absent.add(what);
    if (this.#absent.size <= remembered) return;
    const oldest = this.#absent.values().next();
    if (!oldest.done) this.#absent.delete(oldest.value);
  }
}

/** A 404 response for a kind that is not served does not name an object. */
function isAbout(error: unknown, name: string): boolean {
  return error instanceof ApiError && error.body.details?.name === name;
}
