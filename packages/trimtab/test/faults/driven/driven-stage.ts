import { createLogger } from '@trimtab/kube/log/log.ts';
import { createRegistry, type Registry } from '@trimtab/kube/metrics/metrics.ts';
import { events, leases } from '@trimtab/kube/resource.ts';
import { FaultProxy } from '@trimtab/test-bed/fault-proxy/server.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { configRollouts } from '../../../src/api/config-rollout.ts';
import { SecretHashes } from '../../support/secret-hashes.ts';
import { SimulatedApp } from '../../support/simulated-app.ts';
import { violations } from '../support/invariants.ts';
import { bakeSeconds, type Scenario } from '../support/scenario.ts';
import { type Snapshot, takeSnapshot } from '../support/snapshot.ts';
import { isBaseline, isSame, isWrittenDown } from '../support/snapshot-checks.ts';
import { differences, summaryOf } from '../support/snapshot-text.ts';
import { Timeline } from '../support/timeline.ts';
import { writeSite } from '../support/write-sites.ts';
import type { DrivenCluster } from './driven-cluster.ts';
import { type ControllerProgram, DrivenController } from './driven-controller.ts';

/**
 * A wait fails after this time without a change in the namespace, measured on the driven clock. A watch that fails
 * sixteen times in a row backs off for six minutes.
 */
const patienceMs = 600_000;
/** A wait fails after this time in any case. Pods that crash in a loop never stop changing. */
const longestMs = 1_200_000;
/** The end state must stay the same for this long. */
const afterwardsMs = 5_000;
/** Delay before a controller that exited is restarted. */
const restartMs = 1_000;

/** More writes of one site than any run needs. */
const mostWrites = 250;

export interface DrivenOptions {
  seed?: number;
  program?: ControllerProgram;
}

/** The result of a run. */
export interface DrivenPerformance {
  snapshot: Snapshot;
  /** Violated invariants. */
  violations: string[];
}

/** Like `Stage`, on a driven clock: a namespace where a scenario runs while its controllers are disturbed. */
export class DrivenStage implements AsyncDisposable {
  readonly namespace: string;
  readonly proxy: FaultProxy;
  /** Write sites of the controllers, in order. */
  readonly sites: string[];
  readonly running = new Set<DrivenController>();
  readonly #cluster: DrivenCluster;
  readonly #timeline: Timeline;
  readonly #program: ControllerProgram | undefined;
  readonly #metrics: Registry[] = [];
  #log = '';
  #staleMs = 10_000;
  #isOver = false;

  private constructor(
    cluster: DrivenCluster,
    parts: Pick<DrivenStage, 'namespace' | 'proxy' | 'sites'>,
    timeline: Timeline,
    program: ControllerProgram | undefined,
  ) {
    this.#cluster = cluster;
    this.namespace = parts.namespace;
    this.proxy = parts.proxy;
    this.sites = parts.sites;
    this.#timeline = timeline;
    this.#program = program;
  }

  static open(cluster: DrivenCluster, options: DrivenOptions = {}): Promise<DrivenStage> {
    return cluster.clock.during(DrivenStage.#open(cluster, options));
  }

  static async #open(cluster: DrivenCluster, { seed = 1, program }: DrivenOptions): Promise<DrivenStage> {
    const { clock, access, client } = cluster;
    const namespace = await cluster.namespace();
    const sites: string[] = [];
    const proxy = await FaultProxy.inProcess({
      access,
      seed,
      clock,
      siteOf(request, body) {
        const site = writeSite(request, body);
        if (site !== undefined) sites.push(site);
        return site;
      },
    });
    const attention = {
      now: () => clock.time,
      get since() {
        return clock.time;
      },
      stop() {},
    };
    const timeline = await Timeline.start(client, namespace, { attention });
    return new DrivenStage(cluster, { namespace, proxy, sites }, timeline, program);
  }

  start(): DrivenController {
    const metrics = createRegistry();
    this.#metrics.push(metrics);
    const write = (line: string) => {
      this.#log += line;
    };
    const controller = new DrivenController({
      clock: this.#cluster.clock,
      access: { ...this.#cluster.access, connect: () => this.proxy.connect() },
      namespace: this.namespace,
      log: createLogger({ program: 'controller', level: 'debug', destination: { write } }),
      metrics,
      ...(this.#program && { program: this.#program }),
      onEnd: () => {
        if (!this.running.delete(controller)) return;
        // A kubelet restarts a container with a delay too.
        this.#cluster.clock.after(restartMs, () => this.#isOver || this.start());
      },
    });
    this.running.add(controller);
    return controller;
  }

  kill(...those: DrivenController[]): void {
    for (const victim of those) {
      this.running.delete(victim);
      victim.kill();
    }
  }

  /** Tells how old the state may be that a controller decides on, when that is more than usual. */
  decidesLate(staleMs: number): void {
    this.#staleMs = staleMs;
  }

  /** Runs the scenario until its state equals `end` or, without `end`, until the controller has written everything. */
  async play(scenario: Scenario, end?: Snapshot, leeway = 0): Promise<DrivenPerformance> {
    const { clock, client } = this.#cluster;
    const { objects, rollouts, app, steps, startupMs = 0, strategy = { bakeSeconds } } = scenario;
    const slowly = { clock, startupMs };
    await using _app = app && (await clock.during(SimulatedApp.start(client, this.namespace, app, slowly)));
    await clock.during(new Given(client, this.namespace).objects(...objects()));
    for (const [name, spec] of Object.entries(rollouts)) {
      await this.#becomes(`${name} is there`, ({ configs }) => configs[name] !== undefined);
      const body = { spec: { ...spec, strategy } };
      const where = { namespace: this.namespace, name };
      await clock.during(client.patch(configRollouts, where, { type: 'merge', body }));
    }
    await this.#becomes('the first versions are current and run', isBaseline(rollouts));
    for (const [index, { does, until }] of steps.entries()) {
      await clock.during(does(client, this.namespace));
      await this.#becomes(`step ${index + 1} is over`, until);
    }
    await this.#ends(scenario, end, leeway);
    await clock.pass(afterwardsMs);
    await this.#ends(scenario, end, leeway);
    const found = [
      ...violations(this.#timeline.seen(), this.#staleMs),
      ...this.#busyWrites(),
      ...(await clock.during(this.#hashesOfSecrets())),
    ];
    return { snapshot: takeSnapshot(this.#timeline.world), violations: found };
  }

  /** A write that is repeated without end fights with another controller. */
  #busyWrites(): string[] {
    const counts = Map.groupBy(this.sites, (site) => site);
    return [...counts].flatMap(([site, { length }]) =>
      length > mostWrites ? [`${site}: ${length} writes`] : [],
    );
  }

  /** Hashes of Secrets in what the timeline does not record. */
  async #hashesOfSecrets(): Promise<string[]> {
    const { client } = this.#cluster;
    const hashes = SecretHashes.of(this.#timeline.seen().map(({ object }) => object));
    const texts = { 'the log': this.#log, metrics: this.#metrics.map((each) => each.render()).join() };
    for (const resource of [events, leases]) {
      const { items } = await client.list(resource, { namespace: this.namespace });
      Object.assign(texts, { [resource.plural]: JSON.stringify(items) });
    }
    return hashes.among(texts);
  }

  async #ends({ steps }: Scenario, end: Snapshot | undefined, leeway: number): Promise<void> {
    await this.#becomes(
      'all is over and written down',
      (now) => steps.at(-1)?.until(now) !== false && isWrittenDown(this.#timeline.world),
    );
    if (end) await this.#becomes('it ends as it does undisturbed', (now) => isSame(now, end, leeway), end);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.kill(...this.running);
    await this.#cluster.clock.during(
      Promise.all([this.proxy.close(), this.#timeline[Symbol.asyncDispose]()]),
    );
  }

  async #becomes(what: string, condition: (now: Snapshot) => boolean, wanted?: Snapshot): Promise<void> {
    const { clock } = this.#cluster;
    const began = clock.time;
    let looked = -1;
    await clock.until(() => {
      if (looked !== this.#timeline.length) {
        looked = this.#timeline.length;
        if (condition(takeSnapshot(this.#timeline.world))) return true;
      }
      const isQuiet = clock.time - Math.max(began, this.#timeline.changedAt) > patienceMs;
      if (isQuiet || clock.time - began > longestMs)
        throw new Error(`Waited in vain for: ${what}.\n${this.scene(wanted)}`);
      return false;
    });
  }

  /** The current state, for the error of a test. */
  scene(wanted?: Snapshot): string {
    const now = takeSnapshot(this.#timeline.world);
    return [
      summaryOf(now),
      ...(wanted === undefined ? [] : [differences(now, wanted)]),
      `writes: ${this.sites.join(', ')}`,
      this.proxy.describe(),
    ].join('\n');
  }
}
