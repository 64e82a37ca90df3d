import { pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated, type Mod } from '@trimtab/test-bed/objects/build.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import type { RolloutStrategy } from '../../../src/api/config-rollout.ts';
import { annotations } from '../../../src/api/names.ts';
import { GatewayScene } from '../../gateway/support/gateway-scene.ts';
import { installedStory } from '../../support/installed-story.ts';
import { managed } from '../../support/managed.ts';
import type { ReleaseStory } from '../../support/release-story.ts';
import { settled } from '../../support/settled.ts';
import { PlayedAgents } from './played-agents.ts';

/** A workload whose pods are reloaded. */
export const reloaded = annotated({ [annotations.restart]: 'false' });

/** A story with a gateway and played agents. */
export class ReloadStory implements AsyncDisposable {
  readonly it: ReleaseStory;
  readonly agents: PlayedAgents;
  gateway: GatewayScene;
  readonly #engine: Engine;

  private constructor(engine: Engine, it: ReleaseStory, agents: PlayedAgents, gateway: GatewayScene) {
    this.#engine = engine;
    this.it = it;
    this.agents = agents;
    this.gateway = gateway;
  }

  static async start(engine: Engine): Promise<ReloadStory> {
    const gateway = await GatewayScene.start(engine);
    const ca = new URL(import.meta.url).pathname;
    const flags = ['--agent-image', 'trimtab-agent', '--gateway-url', gateway.url, '--gateway-ca-file', ca];
    const it = await installedStory(engine, flags, { inject: true });
    const agents = await PlayedAgents.start(it.client, it.namespace, () => story.gateway.url);
    const story = new ReloadStory(engine, it, agents, gateway);
    return story;
  }

  /** Starts with a Deployment `web` whose pods mount the ConfigMap `foo` and run its first version. */
  static async startWeb(
    engine: Engine,
    strategy: Partial<RolloutStrategy> = {},
    ...mods: Mod<Deployment>[]
  ): Promise<ReloadStory> {
    const story = await ReloadStory.start(engine);
    await story.it.shortBake(['foo'], { bakeSeconds: 0, ...strategy });
    await story.it.given.objects(
      configMap('foo', { color: 'blue' }),
      deployment('web', mountingConfigMap('foo', '/etc/foo'), managed, reloaded, ...mods),
    );
    await settled(story.it, '1.0.0', ['web']);
    return story;
  }

  async gatewayRestarts(): Promise<void> {
    await this.gateway.close(0);
    this.gateway = await GatewayScene.start(this.#engine);
  }

  /** The pods of an app, by name. */
  async pods(app: string): Promise<KubeObject[]> {
    const where = { namespace: this.it.namespace, labelSelector: `app=${app}` };
    const { items } = await this.it.client.list(pods, where);
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.agents[Symbol.asyncDispose]();
    await this.gateway.close(0);
    await this.it[Symbol.asyncDispose]();
  }
}
