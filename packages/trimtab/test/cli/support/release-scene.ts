import { configMaps } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import type { Mod } from '@trimtab/test-bed/objects/build.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import type { RolloutStrategy } from '../../../src/api/config-rollout.ts';
import { configRollouts } from '../../../src/api/config-rollout.ts';
import { managed } from '../../support/managed.ts';
import { obedientApp } from '../../support/obedient-app.ts';
import { ReleaseStory } from '../../support/release-story.ts';
import { settled } from '../../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../../support/simulated-app.ts';
import { runTrimtab, type TrimtabOptions, type TrimtabResult } from './run-trimtab.ts';
import { Terminal, type TerminalOptions } from './terminal.ts';

interface SceneOptions {
  replicas?: number;
  strategy?: Partial<RolloutStrategy>;
  /** Objects in addition to ConfigMap foo and Deployment web. */
  objects?: KubeObject[];
}

/** A managed Deployment that uses ConfigMap foo. */
export function usingFoo(name: string, replicas = 2, ...mods: Mod<Deployment>[]): Deployment {
  const mounted = mountingConfigMap('foo', '/etc/foo');
  return deployment(name, mounted, withReplicas(replicas), runningTheApp, managed, ...mods);
}

/**
 * ConfigMap foo with version 1.0.0 current on Deployment web, and an app that does what the config says (`obedientApp`).
 * Commands run as the administrator.
 */
export class ReleaseScene implements AsyncDisposable {
  readonly release: ReleaseStory;
  readonly app: SimulatedApp;
  readonly #engine: Engine;

  private constructor(engine: Engine, release: ReleaseStory, app: SimulatedApp) {
    this.#engine = engine;
    this.release = release;
    this.app = app;
  }

  static async start(
    engine: Engine,
    { replicas = 2, strategy = {}, objects = [] }: SceneOptions = {},
  ): Promise<ReleaseScene> {
    const release = await ReleaseStory.start(engine);
    const app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
    await release.shortBake(['foo'], strategy);
    await release.given.objects(configMap('foo', { color: 'blue' }), usingFoo('web', replicas), ...objects);
    await settled(release, '1.0.0', ['web']);
    return new ReleaseScene(engine, release, app);
  }

  get namespace(): string {
    return this.release.namespace;
  }

  /** Runs a command with output that is not a terminal. */
  run(args: readonly string[], options: TrimtabOptions = {}): Promise<TrimtabResult> {
    const env = { LANG: 'C.UTF-8', ...options.env };
    return runTrimtab(this.#engine, args, { namespace: this.namespace, ...options, env });
  }

  /** Runs a command in a terminal. */
  inTerminal(args: readonly string[], options: Partial<TerminalOptions> = {}): Terminal {
    return Terminal.run(this.#engine, args, { namespace: this.namespace, ...options });
  }

  edit(data: Record<string, string>): Promise<unknown> {
    return this.release.when.edited(configMaps, 'foo', withData(data));
  }

  /** Changes the spec of the ConfigRollout, and waits until the controller has seen it. */
  async specIs(spec: object): Promise<void> {
    const where = { namespace: this.namespace, name: 'configmap-foo' };
    const { metadata } = await this.release.client.patch(configRollouts, where, {
      type: 'merge',
      body: { spec },
    });
    await this.release.rolloutIs(
      'the controller has seen the change',
      ({ observed }) => (observed?.generation ?? 0) >= (metadata.generation ?? 0),
    );
  }

  /** Adds a version that is not activated, and sets release mode Manual for the rest of the story. */
  async addVersion(name: string, data: Record<string, string>): Promise<void> {
    await this.specIs({ release: 'Manual' });
    await this.edit(data);
    await waitFor(`version ${name} exists`, async () => {
      const names = [...(await this.release.copies()).keys()];
      return names.includes(name) ? { met: true } : { seen: names.join(', ') };
    });
  }

  /** Replaces what differs between two runs: names of pods and of the namespace, ages, and the width of columns. */
  stable(text: string): string {
    return text
      .replaceAll(this.namespace, 'NAMESPACE')
      .replaceAll(/\b([a-z]+)-[a-z0-9]{6,10}-[a-z0-9]{5}\b/g, '$1-POD')
      .replaceAll(/\bfor \d+[smh]\b/g, 'for AGE')
      .replaceAll(/after \d+ s/g, 'after N s')
      .replaceAll(/(\S) {2,}/g, '$1  ');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app[Symbol.asyncDispose]();
    await this.release[Symbol.asyncDispose]();
  }
}
