import type { KubeClient } from '@trimtab/kube/client.ts';
import { pods } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { Pod } from '../../objects/pod.ts';

/**
 * UIDs of pods whose deletion was requested. The watch event follows later; until then a controller that counts its
 * pods would delete one too many.
 */
export class Deletions {
  readonly #client: KubeClient;
  readonly #going = new Set<string>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  isGoing({ metadata }: Pod): boolean {
    return metadata.deletionTimestamp !== undefined || this.#going.has(metadata.uid ?? '');
  }

  async delete({ metadata }: Pod): Promise<void> {
    const { uid = '', namespace = '', name = '' } = metadata;
    this.#going.add(uid);
    try {
      await this.#client.delete(pods, { namespace, name }, { preconditions: { uid } });
    } catch (error) {
      if (isNotFound(error)) return;
      this.#going.delete(uid);
      throw error;
    }
  }

  /** Called when the watch reports that the pod is deleted or terminating: the cache then shows the deletion. */
  forget(uid: string): void {
    this.#going.delete(uid);
  }
}
