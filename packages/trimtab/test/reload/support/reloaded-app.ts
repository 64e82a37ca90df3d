import { configMaps } from '@trimtab/kube/resource.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { conditionOf, settled } from '../../support/settled.ts';
import type { RealReload } from './real-reload.ts';
import { type ReloadedPod, reloadedDeployment } from './reloaded-deployment.ts';

interface AppPods extends Omit<ReloadedPod, 'mounts'> {
  /** Defaults to the config at /etc/foo. */
  mounts?: ReloadedPod['mounts'];
  /** The data of the config, by the text that the application serves. Defaults to the key `color`. */
  content?: (text: string) => Record<string, string>;
}

/** A config and a Deployment of the same name, whose pods serve a text of the config at port 8080. */
export class ReloadedApp {
  readonly name: string;
  readonly #real: RealReload;
  readonly #content: (text: string) => Record<string, string>;
  #pods: { name: string; address: string }[] = [];

  private constructor(real: RealReload, name: string, content: AppPods['content']) {
    this.#real = real;
    this.name = name;
    this.#content = content ?? ((color) => ({ color }));
  }

  /** Creates the objects, and waits until the pods serve `blue` and version 1.0.0 is rolled out. */
  static async start(real: RealReload, name: string, { content, ...pod }: AppPods): Promise<ReloadedApp> {
    const app = new ReloadedApp(real, name, content);
    const { it } = real;
    await it.shortBake([name], { bakeSeconds: 0 });
    const mounts = { '/etc/foo': { configMap: { name } } };
    await it.given.objects(
      configMap(name, app.#content('blue')),
      reloadedDeployment(name, { mounts, ...pod }),
    );
    app.#pods = await real.readyPods(name, pod.replicas);
    await app.serves('blue');
    await app.settled('1.0.0');
    return app;
  }

  /** The pods of the start. */
  get pods(): readonly { name: string; address: string }[] {
    return this.#pods;
  }

  get urls(): string[] {
    return this.#pods.map(({ address }) => `http://${address}:8080/`);
  }

  edit(text: string): Promise<unknown> {
    return this.#real.it.when.edited(configMaps, this.name, withData(this.#content(text)));
  }

  async serves(text: string): Promise<void> {
    for (const url of this.urls) await this.#real.answers(url, text);
  }

  settled(version: string) {
    return settled(this.#real.it, version, [this.name], `configmap-${this.name}`);
  }

  /** Edits the config; expects the new text from the same pods, without a restart of a container. */
  async reloads(text: string, version: string): Promise<void> {
    await this.edit(text);
    await this.serves(text);
    await this.settled(version);
    await this.keepsRunning();
  }

  /** Edits the config; expects that the version is rolled back. Returns the reason in the status of the ConfigRollout. */
  async refuses(text: string): Promise<string> {
    await this.edit(text);
    const rollout = `configmap-${this.name}`;
    // The agent tells an application that does not answer again, for 30 s.
    const failed = await waitFor(
      `${text} is rolled back`,
      async () => {
        const found = await this.#real.it.rollout(rollout);
        const { phase, target } = found.status ?? {};
        const isMet = phase === 'Failed' && target === undefined;
        return isMet ? { met: found } : { seen: conditionOf(found, 'Ready')?.message ?? '' };
      },
      { timeoutMs: 90_000, everyMs: 100 },
    );
    await this.keepsRunning();
    await this.#agentsAreLive();
    return conditionOf(failed, 'Ready')?.message ?? '';
  }

  /** Expects the pods of the start, and no restart of their containers. */
  async keepsRunning(): Promise<void> {
    const path =
      'jsonpath={range .items[*]}{.metadata.name}{.status.containerStatuses[*].restartCount}{"\\n"}{end}';
    const found = await this.#get(path);
    const expected = this.#pods.map(({ name }) => name).sort();
    const isSame =
      found.length === expected.length && expected.every((name, index) => found[index]?.startsWith(name));
    const isUp = found.every((line, index) => /^[0 ]+$/.test(line.slice(expected[index]?.length)));
    if (!isSame || !isUp) throw new Error(`pods were replaced or restarted: ${found}; before: ${expected}`);
  }

  /** After a rollback there is no reason for the kubelet to restart an agent. */
  async #agentsAreLive(): Promise<void> {
    const [port] = await this.#get('jsonpath={.items[0].spec.initContainers[0].livenessProbe.httpGet.port}');
    for (const { address } of this.#pods) {
      const response = await fetch(`http://${address}:${port}/livez`);
      if (!response.ok) throw new Error(`the agent is not live: ${await response.text()}`);
    }
  }

  /** The user and the added capabilities of the agent, such as `0 ["KILL"]`. */
  async agent(): Promise<string> {
    const context = '{.items[0].spec.initContainers[0].securityContext';
    return (await this.#get(`jsonpath=${context}.runAsUser} ${context}.capabilities.add}`)).join();
  }

  /** Runs a command in a container of the first pod, or of another one. */
  exec(container: string, command: readonly string[], pod = this.#pods[0]?.name ?? ''): Promise<string> {
    return this.#real.it.when.kubectl('exec', pod, '--container', container, '--', ...command);
  }

  async #get(path: string): Promise<string[]> {
    const text = await this.#real.it.when.kubectl(
      'get',
      'pods',
      '--selector',
      `app=${this.name}`,
      '-o',
      path,
    );
    return text.trim().split('\n').sort();
  }
}
