import type { KubeClient } from '@trimtab/kube/client.ts';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { WorkQueue } from '@trimtab/kube/queue/work-queue.ts';
import { configMaps, namespaces, type Resource, serviceAccounts } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import { Reflector } from '@trimtab/kube/watch/reflector.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { emptyNamespace } from './empty-namespace.ts';
import { accountName, bundleName, prepareNamespace } from './prepare-namespace.ts';

export interface NamespaceControllerOptions {
  client: KubeClient;
  /** PEM of the cluster's CA certificate, published to every namespace for pods to trust. */
  authority: string;
  log: Logger;
  clock?: Clock;
}

export interface RunningController {
  /** Resolves when the caches are synced. */
  ready: Promise<void>;
  close(): Promise<void>;
}

interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] };
}

/** Interval between reconciles of a terminating namespace whose remaining objects have finalizers. */
const requeueAfterMs = 250;

/** Provides every namespace with the objects that pods need. Empties a terminating namespace, then finalizes it. */
export function startNamespaceController({
  client,
  authority,
  log,
  clock = systemClock,
}: NamespaceControllerOptions): RunningController {
  const stop = new AbortController();
  const queue = new WorkQueue({
    name: 'namespaces',
    concurrency: 4,
    log,
    clock,
    async handle(name) {
      const found = await client.get<Namespace>(namespaces, { name }).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
      if (found === undefined) return undefined;
      if (found.metadata.deletionTimestamp === undefined) await prepareNamespace(client, name, authority);
      else if (!(await emptyNamespace(client, found, clock.now()))) return { requeueAfterMs: requeueAfterMs };
      return undefined;
    },
  });
  const watch = (name: string, resource: Resource, only?: string) => {
    const reflector = new Reflector({
      name,
      client,
      resource,
      projection: 'metadata',
      ...(only !== undefined && { fieldSelector: `metadata.name=${only}` }),
      transform: ({ metadata }) => metadata.resourceVersion,
      indexes: {},
      log,
      clock,
    });
    // A change of a namespaced object enqueues its namespace.
    reflector.subscribe(({ key }) => queue.add(key.split('/')[0] ?? key));
    return reflector;
  };
  const reflectors = [
    watch('namespaces', namespaces),
    watch('default service accounts', serviceAccounts, accountName),
    watch('root CA config maps', configMaps, bundleName),
  ];
  queue.start();
  const running = reflectors.map((reflector) =>
    reflector.run(stop.signal).catch((err: unknown) => log.error({ err }, 'namespace watch failed')),
  );
  return {
    ready: Promise.all(reflectors.map((reflector) => reflector.waitForSync(stop.signal))).then(() => {}),
    async close() {
      stop.abort(new DOMException('namespace controller is closing', 'AbortError'));
      await Promise.all([...running, queue.drain(1_000)]);
    },
  };
}
