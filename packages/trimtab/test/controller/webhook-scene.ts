import type { KubeClient } from '@trimtab/kube/client.ts';
import { systemClock } from '@trimtab/kube/clock.ts';
import { freePort } from '@trimtab/kube/http/free-port.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { createRegistry } from '@trimtab/kube/metrics/metrics.ts';
import { configMaps, deployments, secrets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { type KubectlResult, kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromConfigMap, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels, systemNamespace } from '../../src/api/names.ts';
import { ClusterCache } from '../../src/controller/cache/cluster-cache.ts';
import { installation } from '../../src/controller/manifests/installation.ts';
import { MountableSecrets } from '../../src/controller/service-accounts/mountable-secrets.ts';
import { lookupInCache } from '../../src/controller/webhook/lookup-in-cache.ts';
import { runWebhook } from '../../src/controller/webhook/run-webhook.ts';
import { assignmentHash } from '../../src/core/references/assignment.ts';
import { configKey } from '../../src/core/references/config-key.ts';
import { formatMove } from '../../src/core/references/requested-move.ts';
import {
  controllerIdentity,
  installFor,
  rollout,
  uninstallFor,
  type VersionShape,
  version,
} from './installed-manifests.ts';

/** Object name of the first version of `foo`. */
export const firstVersion = 'foo-aaaaaaaaaa';

/**
 * A namespace with a ConfigMap `foo`, where only the cache and the webhook of the controller run. Tests make all other
 * writes of the controller themselves, with the client `trimtab`.
 */
export class WebhookScene {
  readonly engine: Engine;
  readonly namespace: string;
  readonly admin: KubeClient;
  readonly trimtab: KubeClient;
  readonly cluster: ClusterCache;
  readonly #port: number;
  readonly #registry = createRegistry();
  readonly #watching = new AbortController();
  #serving = new AbortController();
  #served: Promise<void> = Promise.resolve();

  static async open(): Promise<WebhookScene> {
    const engine = await currentEngine();
    const namespace = await engine.namespace();
    const port = await freePort();
    await installFor(engine, { namespace, webhookUrl: urlOf(port) });
    const trimtab = await engine.connect(controllerIdentity);
    const scene = new WebhookScene(engine, namespace, port, await engine.connect(), trimtab);
    await new Given(scene.admin, namespace).object(configMap('foo', { color: 'blue' }));
    void scene.cluster.run(scene.#watching.signal);
    await scene.cluster.waitForSync(scene.#watching.signal);
    scene.start();
    await waitFor('the webhook answers', async () => {
      const object = managed('probe');
      object.metadata.namespace = namespace;
      await scene.admin.create(deployments, object, { dryRun: true });
      return scene.reviews() > 0 ? { met: true } : { seen: 'not called' };
    });
    return scene;
  }

  private constructor(
    engine: Engine,
    namespace: string,
    port: number,
    admin: KubeClient,
    trimtab: KubeClient,
  ) {
    this.engine = engine;
    this.namespace = namespace;
    this.admin = admin;
    this.trimtab = trimtab;
    this.#port = port;
    this.cluster = new ClusterCache({
      client: trimtab,
      log: silentLogger,
      namespaces: [namespace],
      secrets: true,
    });
  }

  start(): void {
    this.#serving = new AbortController();
    this.#served = runWebhook(
      {
        client: this.trimtab,
        installation: installation({ namespaces: [this.namespace] }),
        host: '127.0.0.1',
        port: this.#port,
        webhookUrl: urlOf(this.#port),
        lookup: lookupInCache(this.cluster, {
          reloaderAnnotations: false,
          reloads: false,
          referenceWays: {
            usual: 'template',
            podAdmission: { problem: () => undefined, isCertain: () => true },
            unblocked: [],
          },
        }),
        joinWorkload: async () => undefined,
        unknownVersions: async () => [],
        isInSync: () => true,
        mountableSecrets: new MountableSecrets(this.trimtab, systemClock),
        ensureFirstVersion: (_, kind, name) => this.#ensureFirstVersion(kind, name),
        clock: systemClock,
        log: silentLogger,
        metrics: this.#registry,
      },
      this.#serving.signal,
    );
  }

  async stop(): Promise<void> {
    this.#serving.abort();
    await this.#served;
  }

  async close(): Promise<void> {
    await this.stop();
    this.#watching.abort();
    await uninstallFor(this.engine, { namespace: this.namespace, webhookUrl: urlOf(this.#port) });
    const { webhookSecret } = installation({ namespaces: [this.namespace] });
    await this.admin.delete(secrets, { namespace: systemNamespace, name: webhookSecret });
    await this.engine.close();
  }

  /** Number of admission reviews so far. */
  reviews(): number {
    const counts = this.#registry.render().matchAll(/^trimtab_webhook_reviews_total\{.*\} (\d+)$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  kubectl(args: string[], stdin = ''): Promise<KubectlResult> {
    return kubectl(this.engine, args, { namespace: this.namespace, stdin });
  }

  async apply(object: KubeObject, ...flags: string[]): Promise<KubectlResult> {
    const result = await this.kubectl(['apply', ...flags, '--filename', '-'], JSON.stringify(object));
    expect(result.code, result.stderr).toBe(0);
    return result;
  }

  get(name: string): Promise<Deployment> {
    return this.admin.get<Deployment>(deployments, { namespace: this.namespace, name });
  }

  /** Creates a version of foo and waits until it is in the cache of the webhook. */
  async givenVersion(object: string, shape: VersionShape): Promise<void> {
    await this.trimtab.create(configMaps, version(object, this.namespace, shape));
    await waitFor(`the cache has ${object}`, async () =>
      this.#sees(object) ? { met: true } : { seen: 'not yet' },
    );
  }

  /** Requests a change of template and label from admission, as an activation does. */
  async move(name: string, object: string): Promise<Deployment> {
    const before = await this.get(name);
    const move = formatMove({
      generation: before.metadata.generation ?? 0,
      names: new Map(namesOf(before).map((each) => [configKey('ConfigMap', each ?? ''), object])),
      label: labelFor(object),
      record: before.metadata.annotations?.[annotations.assignment],
    });
    const body = { metadata: { annotations: { [annotations.move]: move } } };
    const where = { namespace: this.namespace, name };
    const how = { fieldManager: 'trimtab' };
    return this.trimtab.patch<Deployment>(deployments, where, { type: 'merge', body }, how);
  }

  /** Creates rollout and first version as the version reconciler does, if the config exists. */
  async #ensureFirstVersion(kind: 'ConfigMap' | 'Secret', name: string): Promise<string | undefined> {
    if (kind === 'Secret' || !this.#sees(name)) return undefined;
    const { metadata } = await this.trimtab.create(configRollouts, rollout(kind, name, this.namespace));
    const shape = { config: name, rolloutUid: metadata.uid ?? '', state: 'current' };
    await this.givenVersion(`${name}-aaaaaaaaaa`, shape);
    return `${name}-aaaaaaaaaa`;
  }

  #sees(configMap: string): boolean {
    return this.cluster.configs.ConfigMap?.cache.get(`${this.namespace}/${configMap}`) !== undefined;
  }
}

/** A Deployment that opts in and references the original. */
export function managed(name: string, config = 'foo'): Deployment {
  const optIn = annotated({ [annotations.manage]: 'true' });
  return deployment(name, mountingConfigMap(config, '/etc/config'), envFromConfigMap(config), optIn);
}

export function namesOf({ spec }: Deployment): (string | undefined)[] {
  const { volumes = [], containers } = spec.template.spec;
  const sources = containers.flatMap(({ envFrom = [] }) => envFrom);
  return [
    ...volumes.map(({ configMap }) => configMap?.name),
    ...sources.map((each) => each.configMapRef?.name),
  ];
}

export function labelOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[labels.assigned];
}

/** Value of the assigned label for this version of foo. */
export function labelFor(object: string): string {
  return assignmentHash(new Map([[configKey('ConfigMap', 'foo'), object]]));
}

function urlOf(port: number): string {
  return `https://127.0.0.1:${port}`;
}
