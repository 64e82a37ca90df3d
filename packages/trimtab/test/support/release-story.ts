import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps, events, type Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import type { ConfigMap } from '@trimtab/test-bed/objects/config-map.ts';
import type { Templated } from '@trimtab/test-bed/objects/pod-template.ts';
import type { Given } from '@trimtab/test-bed/story/given.ts';
import { story } from '@trimtab/test-bed/story/story.ts';
import type { Then } from '@trimtab/test-bed/story/then.ts';
import type { When } from '@trimtab/test-bed/story/when.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import type { ConfigRollout, RolloutStrategy } from '../../src/api/config-rollout.ts';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { isReason } from '../../src/api/reasons/reasons.ts';
import {
  type Reference,
  replaceReferences,
  templateReferences,
} from '../../src/core/references/references.ts';
import { configRollout } from './config-rollout.ts';
import type { ControllerOptions } from './controller-process.ts';
import { inUsualWay } from './reference-ways.ts';
import type { RunningController } from './running-controller.ts';
import { startController } from './start-controller.ts';

/** The fields of an Event that users read. */
export interface RecordedEvent {
  type: string;
  reason: string;
  message: string;
}

interface EventObject extends KubeObject, RecordedEvent {
  involvedObject: { kind?: string; name?: string };
  source?: { component?: string };
}

/** Prepares the namespace for its controller; `undo` reverts that. */
export type Preparation = (
  namespace: string,
) => Promise<{ options: ControllerOptions; undo: () => Promise<void> }>;

/** Test steps for configs in a namespace with a controller. Disposing stops the controller. */
export class ReleaseStory implements AsyncDisposable {
  readonly given: Given;
  readonly when: When;
  readonly eventually: Then['eventually'];
  readonly eventuallyAll: Then['eventuallyAll'];
  readonly eventuallyGone: Then['eventuallyGone'];
  readonly client: KubeClient;
  readonly namespace: string;
  readonly #engine: Engine;
  readonly #options: ControllerOptions;
  readonly #undo: () => Promise<void>;
  controller: RunningController;

  private constructor(
    engine: Engine,
    [given, when, then]: [Given, When, Then],
    client: KubeClient,
    { options, undo }: Awaited<ReturnType<Preparation>>,
    controller: RunningController,
  ) {
    this.#engine = engine;
    this.#options = options;
    this.#undo = undo;
    this.given = given;
    this.when = when;
    const withLog = then.withContext(() => this.controller.describe());
    this.eventually = withLog.eventually.bind(withLog);
    this.eventuallyAll = withLog.eventuallyAll.bind(withLog);
    this.eventuallyGone = withLog.eventuallyGone.bind(withLog);
    this.client = client;
    this.namespace = given.namespace;
    this.controller = controller;
  }

  static async start(engine: Engine, how: ControllerOptions | Preparation = {}): Promise<ReleaseStory> {
    const steps = await story(engine);
    const { namespace } = steps[0];
    const prepared =
      typeof how === 'function' ? await how(namespace) : await inUsualWay(engine, namespace, how);
    const [client, controller] = await Promise.all([
      engine.connect(),
      startController(engine, namespace, prepared.options),
    ]);
    return new ReleaseStory(engine, steps, client, prepared, controller);
  }

  /**
   * Creates the ConfigRollouts of these configs with a short bake, because the default bake would dominate the test.
   */
  async shortBake(configs: string[], strategy: Partial<RolloutStrategy> = {}): Promise<void> {
    for (const config of configs)
      await this.given.object(configRollout(config, { bakeSeconds: 1, ...strategy }));
  }

  /** Changes the strategy of a rollout for the following steps. */
  async strategyIs(strategy: Partial<RolloutStrategy>, rollout = 'configmap-foo'): Promise<void> {
    const where = { namespace: this.namespace, name: rollout };
    await this.client.patch(configRollouts, where, { type: 'merge', body: { spec: { strategy } } });
  }

  /** Restores a long progress deadline after a test of a short one, because pods start slowly on a busy machine. */
  hasTime(): Promise<void> {
    return this.strategyIs({ progressDeadlineSeconds: 600 });
  }

  /** Waits until this version is current and no activation is running. Returns the rollout. */
  isCurrent(version: string, rollout = 'configmap-foo'): Promise<ConfigRollout> {
    return this.eventually<ConfigRollout>(
      `${version} is current`,
      configRollouts,
      rollout,
      ({ status }) =>
        status?.phase === 'Current' && status.current?.version === version && status.target === undefined,
    );
  }

  /** Waits until the status of a rollout meets the condition. Intermediate states are checked too. */
  rolloutIs(
    what: string,
    condition: (status: NonNullable<ConfigRollout['status']>) => boolean,
    rollout = 'configmap-foo',
  ): Promise<ConfigRollout> {
    return this.eventually<ConfigRollout>(
      what,
      configRollouts,
      rollout,
      ({ status }) => status !== undefined && condition(status),
    );
  }

  rollout(name = 'configmap-foo'): Promise<ConfigRollout> {
    return this.object<ConfigRollout>(configRollouts, name);
  }

  /** Reads the live object. */
  object<T extends KubeObject>(resource: Resource, name: string): Promise<T> {
    return this.client.get<T>(resource, { namespace: this.namespace, name });
  }

  /** Returns the version objects of a ConfigMap by version name. */
  async copies(config = 'foo'): Promise<Map<string, ConfigMap>> {
    const labelSelector = `${labels.config}=${config},${labels.versionOf}`;
    const { items } = await this.client.list<ConfigMap>(configMaps, {
      namespace: this.namespace,
      labelSelector,
    });
    return new Map(items.map((copy) => [copy.metadata.annotations?.[annotations.version] ?? '', copy]));
  }

  /** Waits for an Event of the object, as `kubectl describe` shows it. */
  eventuallyEvent(
    what: string,
    kind: string,
    name: string,
    condition: (news: RecordedEvent) => boolean,
  ): Promise<RecordedEvent> {
    return waitFor(what, async () => {
      const { items } = await this.client.list<EventObject>(events, { namespace: this.namespace });
      const its = items.filter(
        ({ involvedObject }) => involvedObject.kind === kind && involvedObject.name === name,
      );
      const found = its.find(condition);
      if (found !== undefined) return { met: found };
      return { seen: its.map(({ reason, message }) => `${reason}: ${message}`).join('; ') || 'nothing' };
    });
  }

  /** Changes annotations of an object; null removes one. */
  async annotates(resource: Resource, name: string, changes: Record<string, string | null>): Promise<void> {
    const where = { namespace: this.namespace, name };
    await this.client.patch(resource, where, {
      type: 'merge',
      body: { metadata: { annotations: changes } },
    });
  }

  /** Restarts the controller, as an upgrade of Trimtab does. `meanwhile` runs while there is no controller. */
  async controllerRestarts(meanwhile: () => Promise<void> = async () => {}): Promise<void> {
    await this.controller.stop();
    await meanwhile();
    this.controller = await startController(this.#engine, this.namespace, this.#options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.controller.stop();
    await this.#expectRegisteredReasons();
    await this.#undo();
  }

  /** Verifies after each test that all reasons of Events and conditions are documented. */
  async #expectRegisteredReasons(): Promise<void> {
    const { namespace } = this;
    const [recorded, rollouts] = await Promise.all([
      this.client.list<EventObject>(events, { namespace }),
      this.client.list<ConfigRollout>(configRollouts, { namespace }),
    ]);
    const emitted = [
      ...recorded.items.filter(({ source }) => source?.component === 'trimtab'),
      ...rollouts.items.flatMap(({ status }) => status?.conditions ?? []),
    ].map(({ reason }) => reason);
    const unknown = [...new Set(emitted)].filter((reason) => !isReason(reason));
    if (unknown.length > 0) throw new Error(`not in api/reasons: ${unknown.join(', ')}`);
  }
}

/** The pod template of a workload with the names that its pods get, whichever way it references configs. */
export function templateOfPods({ spec }: Templated): Templated['spec']['template'] {
  const names = new Map(templateReferences(spec.template).map(({ pointer, name }) => [pointer, name]));
  return replaceReferences(spec.template, ({ pointer }) => names.get(pointer)) as typeof spec.template;
}

/** Returns the name of the ConfigMap that the pods of a workload get in their first ConfigMap volume. */
export function mountedConfigMap({ spec }: Templated): string | undefined {
  return inFirstVolume(templateReferences(spec.template));
}

/** Returns the name of the ConfigMap in the first ConfigMap volume. */
export function inFirstVolume(references: readonly Reference[]): string | undefined {
  return references.find(
    ({ kind, pointer }) => kind === 'ConfigMap' && /^\/spec\/volumes\/\d+\/configMap\//.test(pointer),
  )?.name;
}
