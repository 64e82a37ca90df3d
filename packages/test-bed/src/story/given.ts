import type { KubeClient } from '@trimtab/kube/client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { resourceOf } from '../objects/resources.ts';

/** The preconditions of a test: creates objects in its namespace. */
export class Given {
  readonly namespace: string;
  readonly #client: KubeClient;

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.namespace = namespace;
  }

  /** Creates the objects in order, and returns them as stored by the server. */
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
