import type { KubeClient } from '@trimtab/kube/client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { resourceOf } from '../objects/resources.ts';

/** What is there before anything happens. */
export class Given {
  readonly namespace: string;
  readonly #client: KubeClient;

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.namespace = namespace;
  }

  /** Creates them, one after the other, and answers them as the server has them. */
  async objects<T extends KubeObject[]>(...objects: T): Promise<T> {
    const created: KubeObject[] = [];
    for (const object of objects) created.push(await this.object(object));
    return created as T;
  }

  object<T extends KubeObject>(object: T): Promise<T> {
    const resource = resourceOf(object);
    const metadata = { ...object.metadata, namespace: this.namespace };
    return this.#client.create<T>(resource, { ...object, metadata });
  }
}
