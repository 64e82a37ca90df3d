import type { KubeClient } from '@trimtab/kube/client.ts';
import { systemClock } from '@trimtab/kube/clock.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { createRegistry } from '@trimtab/kube/metrics/metrics.ts';
import { WorkQueue } from '@trimtab/kube/queue/work-queue.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { story } from '@trimtab/test-bed/story/story.ts';
import type { ConfigRollout, ConfigRolloutStatus } from '../../src/api/config-rollout.ts';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { ClusterCache } from '../../src/controller/cache/cluster-cache.ts';
import { Ownership } from '../../src/controller/ownership/ownership.ts';
import { Retention } from '../../src/controller/retention/retention.ts';
import { versionMetrics } from '../../src/controller/retention/version-metrics.ts';
import type { ConfigKind } from '../../src/core/references/references.ts';
import { contentHash } from '../../src/core/version/content-hash.ts';
import { rolloutName } from '../../src/core/version/object-names.ts';
import { versionObject } from '../../src/core/version/version-object.ts';
import { applyCrd } from '../support/apply-crd.ts';

interface VersionOptions {
  content?: string;
  state?: string;
  madeByHand?: boolean;
}

/** A namespace with ConfigRollouts and versions that the test creates. Only Ownership and Retention run. */
export async function retentionScene(engine: Engine) {
  const client = await engine.connect();
  await applyCrd(client);
  const [given, when, then] = await story(engine);
  const { namespace } = given;

  async function rollout(
    kind: ConfigKind,
    name: string,
    spec: { historyLimit?: number; version?: string } = {},
  ): Promise<ConfigRollout> {
    const object = {
      apiVersion: 'trimtab.dev/v1alpha1',
      kind: 'ConfigRollout',
      metadata: { name: rolloutName(kind, name), namespace },
      spec: { config: { kind, name }, ...spec },
    };
    return (await client.create<KubeObject>(configRollouts, object)) as ConfigRollout;
  }

  /** Creates the version `1.0.<sequence>` and returns the name of its object. */
  async function version(of: ConfigRollout, sequence: number, options: VersionOptions = {}): Promise<string> {
    const content = options.content ?? `content ${sequence}`;
    const { kind } = of.spec.config;
    const data = { key: kind === 'Secret' ? Buffer.from(content).toString('base64') : content };
    const body = { metadata: {}, data };
    const object = versionObject(of, body, {
      name: `1.0.${sequence}`,
      sequence,
      contentHash: contentHash({ data }),
      createdBy: 'test',
      state: 'not-current',
    });
    object.metadata.labels = { ...object.metadata.labels, [labels.state]: options.state ?? 'not-current' };
    if (options.madeByHand) {
      object.metadata.annotations = { ...object.metadata.annotations, [annotations.madeByHand]: 'true' };
    }
    const { metadata } = await client.create(configResources[kind], object);
    return metadata.name ?? '';
  }

  /** Writes the status as an activation does; without `target`, the target is removed. */
  async function status(of: ConfigRollout, current: string, target?: string): Promise<void> {
    const at = '2026-01-01T00:00:00Z';
    const pointer = (name: string) => ({ version: name, object: `of ${name}` });
    const written: Record<keyof Pick<ConfigRolloutStatus, 'current' | 'target'>, unknown> = {
      current: { ...pointer(current), since: at },
      target:
        target === undefined
          ? null
          : { ...pointer(target), activation: 'a-1', members: ['ConfigMap/foo'], startedAt: at },
    };
    const where = { namespace, name: of.metadata.name ?? '' };
    const patch = { type: 'merge', body: { status: written } } as const;
    await client.patch(configRollouts, where, patch, { subresource: 'status' });
  }

  async function manages(of: ConfigRollout, ...workloads: string[]): Promise<void> {
    const where = { namespace, name: of.metadata.name ?? '' };
    const body = { metadata: { annotations: { [annotations.workloads]: JSON.stringify(workloads) } } };
    await client.patch(configRollouts, where, { type: 'merge', body });
  }

  /** Returns the names of all existing versions, in the order of their creation. */
  async function versionsLeft(of: ConfigRollout): Promise<string[]> {
    const { items } = await client.list(configResources[of.spec.config.kind], {
      namespace,
      labelSelector: `${labels.versionOf}=${of.metadata.uid}`,
    });
    return items.map(nameOfVersion).sort((a, b) => Number(a.slice(4)) - Number(b.slice(4)));
  }

  return {
    given,
    when,
    then,
    client,
    namespace,
    rollout,
    version,
    status,
    manages,
    versionsLeft,
    /** Runs both reconcilers until the end of the `await using` block. */
    reconcilers: (through: KubeClient = client) => runReconcilers(through, namespace),
  };
}

function nameOfVersion({ metadata }: KubeObject): string {
  return metadata.annotations?.[annotations.version] ?? '';
}

async function runReconcilers(client: KubeClient, namespace: string) {
  const stop = new AbortController();
  const metrics = createRegistry();
  const cluster = new ClusterCache({ client, log: silentLogger, namespaces: [namespace], secrets: true });
  versionMetrics(metrics, cluster);
  const context = { client, cluster, log: silentLogger, clock: systemClock };
  const queues = [new Ownership(context), new Retention(context)].map((reconciler) => {
    const queue: WorkQueue = new WorkQueue({
      name: reconciler.name,
      handle: (key, { signal }) => reconciler.reconcile(key, signal),
      concurrency: 4,
      log: silentLogger,
    });
    reconciler.listen((key) => queue.add(key));
    return queue;
  });
  const watches = cluster.run(stop.signal);
  await cluster.waitForSync(stop.signal);
  for (const queue of queues) queue.start();
  return {
    metrics: () => metrics.render(),
    async [Symbol.asyncDispose]() {
      await Promise.all(queues.map((queue) => queue.drain(10_000)));
      stop.abort(new Error('the test is over'));
      await watches;
    },
  };
}
