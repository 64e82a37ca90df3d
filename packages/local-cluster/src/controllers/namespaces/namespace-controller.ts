import type { KubeClient } from '@trimtab/kube/client.ts';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { WorkQueue } from '@trimtab/kube/queue/work-queue.ts';
import { configMaps, namespaces, type Resource, serviceAccounts } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import { Reflector } from '@trimtab/kube/watch/reflector.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { emptyNamespace } from './empty-namespace.ts';
import { accountName, bundleName, furnishNamespace } from './furnish-namespace.ts';

export interface NamespaceControllerOptions {
  client: KubeClient;
  /** PEM of the cluster's authority, for pods to trust. */
  authority: string;
  log: Logger;
  clock?: Clock;
}

export interface RunningController {
  /** Resolves when it knows every namespace. */
  ready: Promise<void>;
  close(): Promise<void>;
}

interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] };
}

/** Between two looks at a namespace that waits for others to finish with their objects. */
const lookAgainMs = 250;

/** A namespace always has what pods need in it; one that is deleted is emptied, and then let go. */
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
      if (found.metadata.deletionTimestamp === undefined) await furnishNamespace(client, name, authority);
      else if (!(await emptyNamespace(client, found, clock.now()))) return { requeueAfterMs: lookAgainMs };
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
    // Of what lives in a namespace, the namespace is looked at.
    reflector.subscribe(({ key }) => queue.add(key.split('/')[0] ?? key));
    return reflector;
  };
  const reflectors = [
    watch('namespaces', namespaces),
    watch('default accounts', serviceAccounts, accountName),
    watch('bundles to trust', configMaps, bundleName),
  ];
  queue.start();
  const running = reflectors.map((reflector) =>
    reflector.run(stop.signal).catch((err: unknown) => log.error({ err }, 'namespace watch failed')),
  );
  return {
    ready: Promise.all(reflectors.map((reflector) => reflector.waitForSync(stop.signal))).then(() => {}),
    async close() {
      stop.abort(new DOMException('the controller ends', 'AbortError'));
      await Promise.all([...running, queue.drain(1_000)]);
    },
  };
}
