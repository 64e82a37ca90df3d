import path from 'node:path';
import { replicaSets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { type HelmName, type HelmResult, helm } from '@trimtab/test-bed/tools/helm.ts';
import { expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { RolloutStrategy } from '../../src/api/config-rollout.ts';
import { runTrimtab, type TrimtabResult } from '../cli/support/run-trimtab.ts';
import { installedStory } from '../support/installed-story.ts';
import type { ReleaseStory } from '../support/release-story.ts';
import { type App, SimulatedApp } from '../support/simulated-app.ts';

/** The folder of the chart: the ConfigMap `foo`, and the managed Deployment `web` that mounts it. */
const chart = path.join(import.meta.dirname, 'chart');

const app: App = ({ color }) => (color === 'broken' ? { crashes: 'no such color', exitCode: 3 } : 'works');

interface ChartValues {
  color?: string;
  tag?: string;
  checksum?: boolean;
  references?: 'template' | 'admission';
  jobs?: boolean;
  configIsHook?: boolean;
}

/** Test steps with the release `web` of the chart, in a cluster with Trimtab; its webhook is installed unless `start` says otherwise. */
export class HelmStory implements AsyncDisposable {
  readonly release: ReleaseStory;
  readonly #engine: Engine;
  readonly #pods: SimulatedApp;

  private constructor(engine: Engine, release: ReleaseStory, pods: SimulatedApp) {
    this.#engine = engine;
    this.release = release;
    this.#pods = pods;
  }

  static async start(
    engine: Engine,
    strategy: Partial<RolloutStrategy> = {},
    start: () => Promise<ReleaseStory> = () => installedStory(engine),
  ): Promise<HelmStory> {
    const release = await start();
    const pods = await SimulatedApp.start(release.client, release.namespace, app);
    await release.shortBake(['foo'], strategy);
    return new HelmStory(engine, release, pods);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pods[Symbol.asyncDispose]();
    await this.release[Symbol.asyncDispose]();
  }

  /** Runs Helm in the namespace of the story. A non-zero exit code does not throw. */
  try(name: HelmName, ...args: string[]): Promise<HelmResult> {
    return helm(name, this.#engine, args, { namespace: this.release.namespace });
  }

  /** Runs Helm, which must succeed without a warning about conflicts. */
  async helm(name: HelmName, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.try(name, ...args);
    expect(code, `helm ${args.join(' ')}: ${stderr}`).toBe(0);
    expect(stderr).not.toMatch(/conflict/i);
    return stdout;
  }

  install(name: HelmName, values: ChartValues = {}, ...flags: string[]): Promise<string> {
    return this.helm(name, 'install', 'web', chart, ...valueFlags(values), ...flags);
  }

  upgrade(name: HelmName, values: ChartValues = {}, ...flags: string[]): Promise<string> {
    return this.helm(name, 'upgrade', 'web', chart, ...valueFlags(values), ...flags);
  }

  tryUpgrade(name: HelmName, values: ChartValues = {}, ...flags: string[]): Promise<HelmResult> {
    return this.try(name, 'upgrade', 'web', chart, ...valueFlags(values), ...flags);
  }

  /** Creates the objects of the chart as Helm 4.0 did: with POST, which counts as an update by the manager `helm`. */
  async createdByEarlyHelm4(values: ChartValues): Promise<void> {
    const { namespace } = this.release;
    const rendered = await this.helm('helm-4', 'template', 'web', chart, ...valueFlags(values));
    const create = ['create', '--field-manager=helm', '--filename', '-'];
    for (const document of parseAllDocuments(rendered)) {
      const object: KubeObject = document.toJS();
      object.metadata.labels = { 'app.kubernetes.io/managed-by': 'Helm' };
      object.metadata.annotations = {
        ...object.metadata.annotations,
        'meta.helm.sh/release-name': 'web',
        'meta.helm.sh/release-namespace': namespace,
      };
      const { code, stderr } = await kubectl(this.#engine, create, {
        namespace,
        stdin: JSON.stringify(object),
      });
      expect(code, stderr).toBe(0);
    }
  }

  /** What CI runs after an upgrade. */
  wait(...flags: string[]): Promise<TrimtabResult> {
    return runTrimtab(this.#engine, ['wait', 'foo', ...flags], { namespace: this.release.namespace });
  }

  /** The number of rolling updates of `web`, and its first ReplicaSet. */
  async replicaSetCount(): Promise<number> {
    const { client, namespace } = this.release;
    return (await client.list(replicaSets, { namespace, labelSelector: 'app=web' })).items.length;
  }
}

const valueFlags = (values: ChartValues): string[] =>
  Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`]);
