import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import { ApiError, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject, OwnerReference } from '@trimtab/kube/wire.ts';
import { foreground, type Node, referenceText } from './owner-graph.ts';
import type { OwnerState } from './plan-collection.ts';

/** Enough for the dependents of everything that goes at a time. */
const remembered = 2_000;

/** Finds out what has become of owners, from the server itself; that one is gone stays true, and is asked once. */
export class OwnerStates {
  readonly #client: KubeClient;
  readonly #absent = new Set<string>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** Somebody has seen this object go. */
  gone(uid: string): void {
    this.#remember(uid);
  }

  /** Undefined when nobody can tell: the kind is not served any more, and its objects may be there all the same. */
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

/** A 404 for a whole kind names no object. */
function isAbout(error: unknown, name: string): boolean {
  return error instanceof ApiError && error.body.details?.name === name;
}
