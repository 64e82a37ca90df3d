import { configMaps, pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ProgramName } from '@trimtab/test-bed/cluster/images/program-images.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { type ConfigMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { clusterState } from '@trimtab/test-bed/story/scene.ts';
import { When } from '@trimtab/test-bed/story/when.ts';
import { type Observation, waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { loadAgentImage } from './agent-image.ts';
import { guideManifest } from './guide.ts';

interface Pod extends KubeObject {
  status?: { podIP?: string; conditions?: { type: string; status: string }[] };
}

/** A namespace in which real programs run beside the agent, with the rights of the guide. */
export class ProgramScene {
  readonly namespace: string;
  readonly when: When;
  readonly #engine: Engine;

  private constructor(engine: Engine, namespace: string, when: When) {
    this.#engine = engine;
    this.namespace = namespace;
    this.when = when;
  }

  static async open(engine: Engine, ...programs: ProgramName[]): Promise<ProgramScene> {
    for (const program of programs) await engine.loadProgramImage(program);
    await loadAgentImage(engine);
    const namespace = await engine.namespace();
    const scene = new ProgramScene(engine, namespace, new When(engine, await engine.connect(), namespace));
    await scene.apply(guideManifest('rights'));
    return scene;
  }

  async apply(manifest: string): Promise<void> {
    const { namespace } = this;
    const { code, stderr } = await kubectl(this.#engine, ['apply', '-f', '-'], {
      namespace,
      stdin: manifest,
    });
    if (code !== 0) throw new Error(`kubectl apply: ${stderr}`);
  }

  /** Replaces the data of a ConfigMap. */
  async edit(name: string, data: Record<string, string>): Promise<void> {
    await this.when.edited<ConfigMap>(configMaps, name, withData(data));
  }

  /** Waits until the pod of an app is Ready; returns its name and address. */
  async readyPod(app: string): Promise<{ name: string; address: string }> {
    return this.eventually(`the pod of ${app} is Ready`, async () => {
      const client = await this.#engine.connect();
      const selection = { namespace: this.namespace, labelSelector: `app=${app}` };
      const [pod] = (await client.list<Pod>(pods, selection)).items;
      const isReady = pod?.status?.conditions?.some(
        ({ type, status }) => type === 'Ready' && status === 'True',
      );
      if (!isReady || pod?.status?.podIP === undefined) return { seen: 'not Ready' };
      return { met: { name: pod.metadata.name ?? '', address: pod.status.podIP } };
    });
  }

  async logs(pod: string, container: string): Promise<string> {
    return this.when.kubectl('logs', pod, '--container', container);
  }

  /** Waits until a container has logged this text. */
  async logged(pod: string, container: string, text: string, times = 1): Promise<string> {
    return this.eventually(`${container} logs '${text}'`, async () => {
      const log = await this.logs(pod, container);
      return log.split(text).length > times ? { met: log } : { seen: log.slice(-2_000) };
    });
  }

  /** Waits until a URL responds with this text. */
  async answers(url: string, text: string | RegExp): Promise<void> {
    await this.eventually(`${url} responds with ${text}`, async () => {
      const response = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(String);
      const body = typeof response === 'string' ? response : await response.text();
      const isMet = typeof text === 'string' ? body.trim() === text : text.test(body);
      return isMet ? { met: true } : { seen: body.slice(0, 500) };
    });
  }

  eventually<T>(what: string, look: () => Promise<Observation<T>>): Promise<T> {
    const scene = async () => clusterState(await this.#engine.connect(), this.namespace);
    return waitFor(what, look, { timeoutMs: 60_000, everyMs: 100, scene });
  }
}
