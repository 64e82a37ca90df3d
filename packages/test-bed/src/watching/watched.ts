import type { KubeClient } from '@trimtab/kube/client.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { configMaps, resourcePath } from '@trimtab/kube/resource.ts';
import { Reflector, type ReflectorOptions } from '@trimtab/kube/watch/reflector.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { waitFor } from './wait-for.ts';

type Running<T, Index extends string> = Reflector<T, Index> & AsyncDisposable;

/** Starts a reflector that stops at the end of the `await using` block. The resource defaults to ConfigMaps. */
export function watched<T, Index extends string = never>(
  options: Pick<ReflectorOptions<T, Index>, 'client' | 'projection' | 'transform' | 'indexes'> &
    Partial<ReflectorOptions<T, Index>>,
): Running<T, Index> {
  const reflector = new Reflector<T, Index>({
    name: 'contract',
    resource: configMaps,
    log: silentLogger,
    ...options,
    timings: { backoff: { initialMs: 20, maxMs: 200 }, ...options.timings },
  });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  const dispose = async () => {
    stop.abort(new Error('the test has finished'));
    await running;
  };
  return Object.assign(reflector, { [Symbol.asyncDispose]: dispose });
}

/** Key → resourceVersion of the objects on the server. */
async function onServer(
  client: KubeClient,
  namespace: string,
  labelSelector?: string,
): Promise<Map<string, string>> {
  const list = await client.list(configMaps, {
    namespace,
    projection: 'metadata',
    ...(labelSelector !== undefined && { labelSelector }),
  });
  return new Map(
    list.items.map(({ metadata }: KubeObject) => [
      `${metadata.namespace}/${metadata.name}`,
      metadata.resourceVersion ?? '',
    ]),
  );
}

/** Waits until the cache contains exactly the objects of the server. */
export async function cacheEqualsServer<T, Index extends string>(
  reflector: Reflector<T, Index>,
  client: KubeClient,
  namespace: string,
  labelSelector?: string,
): Promise<void> {
  await waitFor('the cache equals the server', async () => {
    const server = await onServer(client, namespace, labelSelector);
    const keys = new Set([...server.keys(), ...reflector.cache.keys()]);
    const differences = [...keys].filter((key) => server.get(key) !== reflector.cache.versionOf(key));
    if (differences.length === 0 && reflector.health().synced) return { met: undefined };
    const some = differences
      .slice(0, 5)
      .map((key) => `${key}: server ${server.get(key)}, cache ${reflector.cache.versionOf(key)}`);
    return { seen: `${differences.length} differences (${some.join('; ')}), ${health(reflector)}` };
  });
}

/** Omits the numbers that change with every check. */
function health<T, Index extends string>(reflector: Reflector<T, Index>): string {
  const { synced, lastErrorCode } = reflector.health();
  return `synced ${synced}, last error ${lastErrorCode ?? 'none'}`;
}

/** Simulates a server without sendInitialEvents: sends a request that the real server rejects for another reason. */
export function refusingInitialEvents(real: KubeClient): KubeClient {
  return {
    ...bound(real),
    watch: (resource, options) => {
      if (!options.sendInitialEvents) return real.watch(resource, options);
      const query = { watch: 'true', sendInitialEvents: 'true' };
      return real.raw({ method: 'GET', path: resourcePath(resource), query });
    },
  };
}

/** A client with bound methods: a test can replace some of them. */
export function bound(real: KubeClient): KubeClient {
  return {
    get: real.get.bind(real),
    list: real.list.bind(real),
    create: real.create.bind(real),
    update: real.update.bind(real),
    patch: real.patch.bind(real),
    delete: real.delete.bind(real),
    watch: real.watch.bind(real),
    raw: real.raw.bind(real),
  };
}
