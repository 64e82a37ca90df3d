import { isDeepStrictEqual } from 'node:util';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { leases } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { FaultProxy } from '@trimtab/test-bed/fault-proxy/server.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import type { ConfigRollout } from '../../../src/api/config-rollout.ts';
import { configRollouts } from '../../../src/api/config-rollout.ts';
import { type ControllerOptions, install } from '../../support/controller-process.ts';
import { SimulatedApp } from '../../support/simulated-app.ts';
import { violations } from './invariants.ts';
import { bakeSeconds, type Scenario } from './scenario.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';
import { isBaseline, isSame, isWrittenDown } from './snapshot-checks.ts';
import { differences, summaryOf } from './snapshot-text.ts';
import { SupervisedControllers } from './supervised-controllers.ts';
import { Timeline } from './timeline.ts';
import { isWorkload, referencesOf } from './world.ts';
import { writeSite } from './write-sites.ts';

/**
 * A wait fails after this time without a change in the namespace. The limit is not a total, because a busy machine
 * only delays changes. A watch that failed eleven times in a row backs off for 30 seconds.
 */
const patienceMs = 60_000;

export interface StageOptions {
  seed?: number;
  controller?: ControllerOptions;
  /** The API server is restarted: events during the outage are not observed, and invariants are not checked. */
  withGaps?: boolean;
}

/** The result of a run. */
export interface Performance {
  snapshot: Snapshot;
  /** Violated invariants. */
  violations: string[];
  /** Write sites of the controller, in order. */
  sites: string[];
}

/**
 * A namespace where a scenario runs while its controllers are disturbed. The controllers reach the API server through
 * a fault proxy.
 */
export class Stage implements AsyncDisposable {
  readonly namespace: string;
  readonly client: KubeClient & { close(): void };
  readonly proxy: FaultProxy;
  readonly sites: string[];
  readonly controllers: SupervisedControllers;
  readonly #timeline: Timeline;
  readonly #withGaps: boolean;
  readonly #atBaseline: (() => void | Promise<void>)[] = [];

  private constructor(
    namespace: string,
    parts: Pick<Stage, 'client' | 'proxy' | 'sites' | 'controllers'>,
    timeline: Timeline,
    withGaps: boolean,
  ) {
    this.namespace = namespace;
    this.client = parts.client;
    this.proxy = parts.proxy;
    this.sites = parts.sites;
    this.controllers = parts.controllers;
    this.#timeline = timeline;
    this.#withGaps = withGaps;
  }

  static async open(engine: Engine, stageOptions: StageOptions = {}): Promise<Stage> {
    const { seed = 1, controller = {}, withGaps = false } = stageOptions;
    await install(engine);
    const namespace = await engine.namespace();
    const client = httpClient({ access: await engine.access(), log: silentLogger });
    const sites: string[] = [];
    const proxy = await FaultProxy.start({
      access: await engine.access(),
      seed,
      siteOf(request, body) {
        const site = writeSite(request, body);
        if (site !== undefined) sites.push(site);
        return site;
      },
    });
    const timeline = await Timeline.start(client, namespace, { withGaps });
    const kubeconfig = await engine.kubeconfigOf(undefined, proxy);
    const controllers = new SupervisedControllers(engine, namespace, { ...controller, kubeconfig });
    return new Stage(namespace, { client, proxy, sites, controllers }, timeline, withGaps);
  }

  /**
   * Stalls the controllers at a write, kills them, and starts a new one. Returns false when `over` resolves before the
   * write.
   */
  async killAt(
    when: { site: string; nth: number },
    at: 'before' | 'after',
    over?: Promise<void>,
  ): Promise<boolean> {
    const stall = this.proxy.inject({ when, fault: { kind: 'stall', at } });
    const fired = stall.fired.then(() => true);
    const met = over === undefined ? fired : Promise.race([fired, over.then(() => false)]);
    if (!(await this.#within(met, `${when.site} (${when.nth}.) to be written`))) {
      stall.retire();
      return false;
    }
    await this.controllers.kill();
    await waitFor('the proxy to see that its client is gone', async () =>
      this.proxy.stalledClients === 0 ? { met: true } : { seen: 'a request waits' },
    );
    await this.#freeLease();
    await this.controllers.start();
    return true;
  }

  /** Deletes the Lease of the killed leader, so its successor does not wait for it to expire. Other tests do wait. */
  async #freeLease(): Promise<void> {
    const name = `trimtab-controller-${this.namespace}`;
    await this.client.delete(leases, { namespace: this.namespace, name }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }

  /** Registers a callback that runs when the first versions are rolled out, before the first edit. */
  atBaseline(then: () => void | Promise<void>): void {
    this.#atBaseline.push(then);
  }

  async #reachBaseline(): Promise<void> {
    for (const then of this.#atBaseline) await then();
  }

  /**
   * Runs the scenario until its state equals the reference or, without a reference, until there are no more writes.
   */
  async play(
    { objects, rollouts, app, steps }: Scenario,
    reference?: Promise<Performance>,
    leeway = 0,
  ): Promise<Performance> {
    await using _app =
      app === undefined ? undefined : await SimulatedApp.start(this.client, this.namespace, app);
    await new Given(this.client, this.namespace).objects(...objects());
    await Promise.all(Object.entries(rollouts).map(([name, spec]) => this.#adjust(name, spec)));
    await this.#becomes('the first versions are current and run', isBaseline(rollouts));
    await this.#reachBaseline();
    const templates = await this.#templates();
    for (const [index, { does, until }] of steps.entries()) {
      await does(this.client, this.namespace);
      if (reference === undefined || index < steps.length - 1)
        await this.#becomes(`step ${index + 1} is over`, until);
    }
    if (reference === undefined) {
      await this.#becomes('all is written down', () => isWrittenDown(this.#timeline.world));
      await this.quiet();
    } else {
      const { snapshot: end } = await reference;
      await this.#becomes('it ends as it does undisturbed', (now) => isSame(now, end, leeway), end);
    }
    return this.#performance(templates);
  }

  /** Verifies that the state is still the same, and returns the result again. */
  async staysAs({ snapshot }: Performance): Promise<Performance> {
    await this.quiet();
    await this.#becomes('it is as it was', (now) => isDeepStrictEqual(now, snapshot), snapshot);
    return this.#performance(new Map());
  }

  async #performance(templates: Map<string, string>): Promise<Performance> {
    const entries = await this.#timeline.upToNow();
    const snapshot = takeSnapshot(this.#timeline.world);
    const found = this.#withGaps ? [] : violations(entries);
    if (Object.values(snapshot.configs).every(({ phase }) => phase === 'Failed')) {
      const after = await this.#templates();
      for (const [key, template] of templates)
        if (after.get(key) !== template) found.push(`the template of ${key} is not what it was`);
    }
    return { snapshot, violations: found, sites: this.sites };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.controllers.close();
    await this.proxy.close();
    await this.#timeline[Symbol.asyncDispose]();
    this.client.close();
  }

  get #patience() {
    return { timeoutMs: patienceMs, lastNews: () => this.#timeline.changedAt };
  }

  /** Waits for a promise with a timeout, so a fault that never fires does not hang the test. */
  async #within<T>(promise: Promise<T>, what: string): Promise<T> {
    const outcome: { settled: boolean } = { settled: false };
    const settle = () => {
      outcome.settled = true;
    };
    promise.then(settle, settle);
    await waitFor(what, async () => (outcome.settled ? { met: true } : { seen: 'nothing' }), {
      ...this.#patience,
      scene: async () => this.controllers.logs(),
    });
    return promise;
  }

  /** Sets a short bake, because the default bake would dominate the test. */
  async #adjust(name: string, spec: Scenario['rollouts'][string]): Promise<void> {
    const body = { spec: { ...spec, strategy: { bakeSeconds } } };
    await waitFor(
      `${name} is there`,
      async () => {
        await this.client.patch<ConfigRollout>(
          configRollouts,
          { namespace: this.namespace, name },
          { type: 'merge', body },
        );
        return { met: true };
      },
      { ...this.#patience, scene: async () => `${this.proxy.describe()}\n${this.controllers.logs()}` },
    );
  }

  async #becomes(what: string, condition: (now: Snapshot) => boolean, wanted?: Snapshot): Promise<void> {
    await waitFor(
      what,
      async () => {
        const now = takeSnapshot(this.#timeline.world);
        return condition(now)
          ? { met: true }
          : { seen: wanted === undefined ? summaryOf(now) : differences(now, wanted) };
      },
      {
        ...this.#patience,
        everyMs: 100,
        scene: async () =>
          `${summaryOf(takeSnapshot(this.#timeline.world))}\n${this.sites.join(', ')}\n${this.proxy.describe()}\n${this.controllers.logs()}\n${await this.#lease()}`,
      },
    );
  }

  async #lease(): Promise<string> {
    const { items } = await this.client.list(leases, { namespace: this.namespace });
    return JSON.stringify(items.map((lease) => ({ ...lease, metadata: lease.metadata.name })));
  }

  /** Waits until the controller has made no write for 800 ms. */
  async quiet(): Promise<void> {
    let [count, since] = [-1, 0];
    await waitFor('the controller is done', async () => {
      if (count !== this.sites.length) [count, since] = [this.sites.length, performance.now()];
      return performance.now() - since > 800 ? { met: true } : { seen: `${count} writes` };
    });
  }

  async #templates(): Promise<Map<string, string>> {
    const entries = await this.#timeline.upToNow();
    const workloads = entries.filter(({ kind }) => isWorkload(kind));
    return new Map(
      workloads.map(({ key, object }) => [
        key,
        JSON.stringify([
          referencesOf(object),
          (object as unknown as { spec: { template: unknown } }).spec.template,
        ]),
      ]),
    );
  }
}
