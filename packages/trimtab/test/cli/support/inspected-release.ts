import { configMaps, secrets } from '@trimtab/kube/resource.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import {
  envFromSecret,
  mountingConfigMap,
  mountingSecret,
  podTemplate,
} from '@trimtab/test-bed/objects/pod-template.ts';
import { clusterRoleFor, role, roleBinding } from '@trimtab/test-bed/objects/rights.ts';
import { type Secret, secret } from '@trimtab/test-bed/objects/secret.ts';
import { statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { managed } from '../../support/managed.ts';
import { isRolledBack } from '../../support/outcomes.ts';
import { ReleaseStory } from '../../support/release-story.ts';
import { settled } from '../../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../../support/simulated-app.ts';
import { runTrimtab, type TrimtabResult } from './run-trimtab.ts';

/** Values of the Secret `key`, which no command may print unless it is told to. */
export const leaks = /hunter\d|aHVudGVy/;

/**
 * A release that the commands inspect. ConfigMap `foo` has the versions 1.0.0, 1.0.1 (current) and 1.0.2 (rolled back);
 * Secret `key` has 1.0.0 and 1.0.1 (current). Deployment `web` is managed and uses both; `plain` and the pod `debug` use
 * `foo` without opting in; `db` names configs that do not exist. `anna` may read what she needs except pods; `bob` may view
 * everything except Secrets.
 */
export class InspectedRelease implements AsyncDisposable {
  readonly story: ReleaseStory;
  readonly #engine: Engine;
  readonly #app: SimulatedApp;

  private constructor(engine: Engine, story: ReleaseStory, app: SimulatedApp) {
    this.#engine = engine;
    this.story = story;
    this.#app = app;
  }

  static async start(engine: Engine): Promise<InspectedRelease> {
    const story = await ReleaseStory.start(engine);
    const app = await SimulatedApp.start(story.client, story.namespace, ({ color }) =>
      color === 'broken' ? { crashes: 'no such color', exitCode: 3 } : 'works',
    );
    const release = new InspectedRelease(engine, story, app);
    await release.#prepare();
    return release;
  }

  async #prepare(): Promise<void> {
    const { story } = this;
    const mountingFoo = mountingConfigMap('foo', '/etc/foo');
    await story.shortBake(['foo', 'secret/key'], { bakeSeconds: 0 });
    await story.given.objects(
      configMap('foo', { color: 'blue', size: '1' }),
      secret('key', { password: 'hunter2' }),
      deployment('web', mountingFoo, envFromSecret('key'), managed, runningTheApp, withReplicas(2)),
      deployment('plain', mountingFoo, withReplicas(0)),
      role(
        'anna',
        ['get', 'list'],
        'configmaps',
        'secrets',
        'configrollouts.trimtab.dev',
        'deployments.apps',
      ),
      roleBinding('anna', { user: 'anna' }),
      clusterRoleFor('view', 'bob', { user: 'bob' }),
      role('bob-rollouts', ['get', 'list'], 'configrollouts.trimtab.dev', 'reloadreports.trimtab.dev'),
      roleBinding('bob-rollouts', { user: 'bob' }),
      statefulSet('db', withReplicas(0), mountingSecret('gone', '/etc/gone'), ({ spec }) => {
        for (const container of spec.template.spec.containers)
          container.envFrom = [{ configMapRef: { name: 'later', optional: true } }];
      }),
    );
    const { spec } = podTemplate('debug');
    spec.volumes = [{ name: 'foo', configMap: { name: 'foo' } }];
    await story.given.object({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'debug' }, spec } as never);
    await settled(story, '1.0.0', ['web']);
    await settled(story, '1.0.0', ['web'], 'secret-key');
    await story.when.edited(configMaps, 'foo', withData({ color: 'green', size: '1' }));
    await settled(story, '1.0.1', ['web']);
    await story.when.edited<Secret>(secrets, 'key', (key) => {
      key.data = { password: Buffer.from('hunter3').toString('base64') };
    });
    await settled(story, '1.0.1', ['web'], 'secret-key');
    await story.when.edited(configMaps, 'foo', withData({ color: 'broken', size: '1' }));
    await isRolledBack(story, '1.0.2');
    await settledPods(story);
  }

  /** Runs a command in the namespace of the release. */
  trimtab(...args: string[]): Promise<TrimtabResult> {
    return runTrimtab(this.#engine, args, { namespace: this.story.namespace });
  }

  /** Runs a command as a user who may not list pods. */
  asAnna(...args: string[]): Promise<TrimtabResult> {
    return this.#as('anna', args);
  }

  /** Runs a command as a user who may not read Secrets. */
  asBob(...args: string[]): Promise<TrimtabResult> {
    return this.#as('bob', args);
  }

  /** Runs a command as a user without any rights. */
  asNobody(...args: string[]): Promise<TrimtabResult> {
    return this.#as('nobody', args);
  }

  async #as(user: string, args: string[]): Promise<TrimtabResult> {
    const kubeconfig = await this.#engine.kubeconfigOf({ user });
    return runTrimtab(this.#engine, args, { namespace: this.story.namespace, kubeconfig });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#app[Symbol.asyncDispose]();
    await this.story[Symbol.asyncDispose]();
  }
}

/** Waits until the pods of the version that was rolled back are gone. */
async function settledPods(story: ReleaseStory): Promise<void> {
  await story.rolloutIs('web runs 1.0.1', ({ updated }) => updated === '2/2');
  await story.when.kubectl('rollout', 'status', 'deployment/web');
}
