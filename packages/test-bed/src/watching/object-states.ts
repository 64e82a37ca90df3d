import type { KubeClient, ObjectKey } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject, WatchEvent } from '@trimtab/kube/wire.ts';

/**
 * Yields every state of one object from now on, and `undefined` while it does not exist. It uses watches, so even a
 * state that lasts a millisecond is observed. States between the end of one watch and the start of the next are missed.
 */
export async function* objectStates<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  where: ObjectKey,
  signal: AbortSignal,
): AsyncGenerator<T | undefined> {
  const selection = {
    fieldSelector: `metadata.name=${where.name}`,
    ...(where.namespace === undefined ? {} : { namespace: where.namespace }),
  };
  while (!signal.aborted) {
    const now = await client.list<T>(resource, { ...selection, signal });
    yield now.items[0];
    const from = now.metadata.resourceVersion;
    const watch = await client.watch(resource, {
      ...selection,
      ...(from === undefined ? {} : { resourceVersion: from }),
      timeoutSeconds: 300,
      signal,
    });
    try {
      for await (const event of watch.events as AsyncIterable<WatchEvent<T>>) {
        if (event.type === 'ERROR') break;
        if (event.type !== 'BOOKMARK') yield event.type === 'DELETED' ? undefined : event.object;
      }
    } finally {
      watch.close();
    }
  }
}
