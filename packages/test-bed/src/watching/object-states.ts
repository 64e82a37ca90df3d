import type { KubeClient, ObjectKey } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject, WatchEvent } from '@trimtab/kube/wire.ts';

/**
 * Every state that one object takes, from now on, `undefined` while it does not exist. Made of watches, so that a
 * state which lasts a millisecond is seen, too; where a watch breaks, states between it and the next are not.
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
