import type { KubeClient } from '@trimtab/kube/client.ts';
import { pods } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { Pod } from '../../objects/pod.ts';

/**
 * Pods that were told to go, by UID: the watch tells of it a moment later, and until then a controller that counts its
 * pods would delete one more.
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

  /** Called when the watch has told that it is gone, or going: from then on the object says so itself. */
  forget(uid: string): void {
    this.#going.delete(uid);
  }
}
