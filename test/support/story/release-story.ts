import type { ConfigRollout, RolloutStrategy } from '../../../src/api/config-rollout.ts';
import { annotations, labels } from '../../../src/api/names.ts';
import type { KubeObject } from '../../../src/api/wire.ts';
import { configRollouts } from '../../../src/controller/picture/picture.ts';
import type { KubeClient } from '../../../src/kube/client.ts';
import { configMaps, events } from '../../../src/kube/resource.ts';
import { type ControllerOptions, ControllerProcess } from '../controller-process.ts';
import type { Engine } from '../engine.ts';
import type { ConfigMap } from '../objects/config-map.ts';
import { configRollout } from '../objects/config-rollout.ts';
import type { Templated } from '../objects/pod-template.ts';
import type { Given } from './given.ts';
import { story } from './story.ts';
import type { Then } from './then.ts';
import type { When } from './when.ts';

/** An Event, as far as a person reads it. */
export interface News {
  type: string;
  reason: string;
  message: string;
}

interface EventObject extends KubeObject, News {
  involvedObject: { kind?: string; name?: string };
}

/** A story about configs in a namespace that has a controller; disposing of it stops the controller. */
export class ReleaseStory implements AsyncDisposable {
  readonly given: Given;
  readonly when: When;
  readonly then: Then;
  readonly client: KubeClient;
  readonly namespace: string;
  readonly #engine: Engine;
  readonly #options: ControllerOptions;
  controller: ControllerProcess;

  private constructor(
    engine: Engine,
    [given, when, then]: [Given, When, Then],
    client: KubeClient,
    options: ControllerOptions,
    controller: ControllerProcess,
  ) {
    this.#engine = engine;
    this.#options = options;
    this.given = given;
    this.when = when;
    this.then = then;
    this.client = client;
    this.namespace = given.namespace;
    this.controller = controller;
  }

  static async start(engine: Engine, options: ControllerOptions = {}): Promise<ReleaseStory> {
    const steps = await story(engine);
    const [client, controller] = await Promise.all([
      engine.connect(),
      ControllerProcess.start(engine, steps[0].namespace, options),
    ]);
    return new ReleaseStory(engine, steps, client, options, controller);
  }

  /** Makes their ConfigRollouts first, with a short bake: the default one would be most of a test's time. */
  async shortBake(configs: string[], strategy: Partial<RolloutStrategy> = {}): Promise<void> {
    for (const config of configs)
      await this.given.object(configRollout(config, { bakeSeconds: 1, ...strategy }));
  }

  /** Waits until this version is current and nothing is on the way; answers the rollout. */
  isCurrent(version: string, rollout = 'configmap-foo'): Promise<ConfigRollout> {
    return this.then.eventually<ConfigRollout>(
      `${version} is current`,
      configRollouts,
      rollout,
      ({ status }) =>
        status?.phase === 'Current' && status.current?.version === version && status.target === undefined,
    );
  }

  /** Waits until the rollout's status is so; what it was in between is seen, too. */
  rolloutIs(
    what: string,
    condition: (status: NonNullable<ConfigRollout['status']>) => boolean,
    rollout = 'configmap-foo',
  ): Promise<ConfigRollout> {
    return this.then.eventually<ConfigRollout>(
      what,
      configRollouts,
      rollout,
      ({ status }) => status !== undefined && condition(status),
    );
  }

  rollout(name = 'configmap-foo'): Promise<ConfigRollout> {
    return this.client.get<ConfigRollout>(configRollouts, { namespace: this.namespace, name });
  }

  /** The copies of a ConfigMap, by the names of their versions. */
  async copies(config = 'foo'): Promise<Map<string, ConfigMap>> {
    const labelSelector = `${labels.config}=${config},${labels.versionOf}`;
    const { items } = await this.client.list<ConfigMap>(configMaps, {
      namespace: this.namespace,
      labelSelector,
    });
    return new Map(items.map((copy) => [copy.metadata.annotations?.[annotations.version] ?? '', copy]));
  }

  /** What a person sees below `kubectl describe` of the object. */
  async news(kind: string, name: string): Promise<News[]> {
    const { items } = await this.client.list<EventObject>(events, { namespace: this.namespace });
    return items.filter(
      ({ involvedObject }) => involvedObject.kind === kind && involvedObject.name === name,
    );
  }

  eventuallyNews(what: string, kind: string, name: string, condition: (news: News) => boolean) {
    return this.then.eventuallyAll<EventObject>(what, events, (all) =>
      all.some(
        (each) =>
          each.involvedObject.kind === kind && each.involvedObject.name === name && condition(each),
      ),
    );
  }

  /** As a lost node, or a new release of Trimtab, brings it about. */
  async controllerRestarts(): Promise<void> {
    await this.controller.kill();
    this.controller = await ControllerProcess.start(this.#engine, this.namespace, this.#options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.controller.stop();
  }
}

/** The ConfigMap that the first volume of a workload's pods is made of. */
export function mountedConfigMap({ spec }: Templated): string | undefined {
  return spec.template.spec.volumes?.find(({ configMap }) => configMap !== undefined)?.configMap?.name;
}
