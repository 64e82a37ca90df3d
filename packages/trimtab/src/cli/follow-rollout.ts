import type { KubeClient } from '@trimtab/kube/client.ts';
import { pods, type Resource, workloadResources } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { type ConfigRollout, configRollouts } from '../api/config-rollout.ts';
import { type ReloadReport, reloadReports } from '../api/reload-report.ts';
import type { ConfigAddress } from '../core/references/config-address.ts';
import { rolloutName } from '../core/version/object-names.ts';
import { treePod } from '../view/observed-pod.ts';
import type { RolloutTree } from '../view/rollout-tree.ts';
import { readVersionNames, type TreeWorkload, treeOf, treeWorkload } from './cluster/tree-source.ts';
import { WatchedSet, type WatchedSetOptions, type WatchTrouble } from './cluster/watched-set.ts';

export interface FollowOptions {
  client: KubeClient;
  /** Follows one config. */
  config?: ConfigAddress;
  /** Follows all configs of a namespace, or of all namespaces. */
  namespace?: string | undefined;
  /** Selects some of these configs. */
  select?(rollout: ConfigRollout): boolean;
  /** Also follow workloads and pods, for a tree. */
  withPods: boolean;
}

/** ConfigRollouts are few, so they are read often: their events are only hints. */
const rolloutSeconds = 5;
/** Pods may be many. */
const podSeconds = 30;

/** Keeps the state of one config, or of all, up to date: ConfigRollouts, workloads and pods. */
export class RolloutFollower {
  readonly #options: FollowOptions;
  readonly #rollouts: WatchedSet<ConfigRollout>;
  readonly #workloads: WatchedSet<TreeWorkload>[];
  readonly #pods: WatchedSet<ReturnType<typeof treePod>>;
  readonly #reports: WatchedSet<ReloadReport>;
  #versions: ReadonlyMap<string, string> = new Map();
  #onChange: () => void = () => {};
  #hasReports = false;

  constructor(options: FollowOptions) {
    this.#options = options;
    const { config } = options;
    this.#rollouts = this.#set(configRollouts, (object) => object as ConfigRollout, rolloutSeconds, {
      name: config && rolloutName(config.kind, config.name),
      isRequired: true,
    });
    this.#workloads = Object.values(workloadResources).map((resource) =>
      this.#set(resource, treeWorkload(resource), podSeconds),
    );
    this.#pods = this.#set(pods, treePod, podSeconds);
    this.#reports = this.#set(reloadReports, (object) => object as ReloadReport, rolloutSeconds);
  }

  /** Resolves when everything that may be read was read. Follows until `signal` aborts. */
  async start(signal: AbortSignal, onChange: () => void): Promise<void> {
    this.#onChange = onChange;
    const { withPods, config, client } = this.#options;
    const sets = withPods ? [...this.#workloads, this.#pods] : [];
    await Promise.all([this.#rollouts, ...sets].map((set) => set.start(signal)));
    const [rollout] = this.rollouts;
    const hasReloads = this.rollouts.some(({ status }) =>
      status?.workloads?.some(({ mode }) => mode === 'Reload'),
    );
    await Promise.all([
      config && rollout && withPods && this.#readVersions(client, rollout),
      withPods && hasReloads && this.#followReports(signal),
    ]);
  }

  /** In the order of their namespaces and names. */
  get rollouts(): ConfigRollout[] {
    const { select = () => true } = this.#options;
    return (this.#rollouts.items ?? []).filter(select).sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  }

  get trees(): RolloutTree[] {
    const workloads = this.#workloads.flatMap((set) => set.items ?? []);
    const source = {
      ...{ workloads, pods: this.#pods.items, versions: this.#versions },
      reports: this.#hasReports ? this.#reports.items : [],
    };
    return this.rollouts.map((rollout) => treeOf(rollout, source));
  }

  /** The caller may not list pods, so trees are without them. */
  get isWithoutPods(): boolean {
    return this.#options.withPods && this.#pods.items === undefined;
  }

  get troubles(): WatchTrouble[] {
    const sets = this.#options.withPods ? [this.#rollouts, this.#pods] : [this.#rollouts];
    return sets.flatMap((set) => set.trouble() ?? []);
  }

  /** Reads everything again, so that the last state is not older than this call. */
  async refresh(): Promise<void> {
    const sets = this.#options.withPods ? [this.#rollouts, ...this.#workloads, this.#pods] : [this.#rollouts];
    await Promise.all(sets.map((set) => set.refresh()));
  }

  async #readVersions(client: KubeClient, rollout: ConfigRollout): Promise<void> {
    this.#versions = await readVersionNames(client, rollout);
  }

  async #followReports(signal: AbortSignal): Promise<void> {
    try {
      await this.#reports.start(signal);
      this.#hasReports = true;
    } catch (error) {
      // An installation without reloads does not have the resource.
      if (!isNotFound(error)) throw error;
    }
  }

  #set<T>(
    resource: Resource,
    transform: (object: KubeObject) => T,
    rereadSeconds: number,
    more: Pick<WatchedSetOptions<T>, 'name' | 'isRequired'> = {},
  ): WatchedSet<T> {
    const { client, config, namespace } = this.#options;
    return new WatchedSet<T>({
      ...{ client, resource, transform, rereadSeconds, ...more },
      namespace: config?.namespace ?? namespace,
      onChange: () => this.#onChange(),
    });
  }
}

function sortKey({ metadata }: ConfigRollout): string {
  return `${metadata.namespace}/${metadata.name}`;
}
