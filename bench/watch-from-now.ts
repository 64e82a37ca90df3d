import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject, WatchEvent } from '@trimtab/kube/wire.ts';

interface WatchOptions {
  namespace: string;
  signal: AbortSignal;
  projection?: 'metadata';
  /** Called when the watch is open. */
  onOpen?(items: KubeObject[]): void;
}

/**
 * Yields the events of a resource from now on. The API server ends the watch of a client that does not keep up, so a
 * watch that ends is opened again after its last event.
 */
export async function* watchFromNow<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  { onOpen, ...options }: WatchOptions,
): AsyncGenerator<WatchEvent<T>> {
  const list = await client.list(resource, options);
  let { resourceVersion = '' } = list.metadata;
  for (let first = true; !options.signal.aborted; first = false) {
    const stream = await client.watch(resource, { ...options, timeoutSeconds: 3_600, resourceVersion });
    if (first) onOpen?.(list.items);
    for await (const event of stream.events as AsyncIterable<WatchEvent<T>>) {
      if (event.type === 'ERROR')
        throw new Error(`watch of ${resource.plural} failed: ${JSON.stringify(event.object)}`);
      resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
      if (event.type !== 'BOOKMARK') yield event;
    }
  }
}
