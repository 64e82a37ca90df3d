import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { configMaps, pods, secrets } from '@trimtab/kube/resource.ts';
import { ApiError, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject, WatchEvent } from '@trimtab/kube/wire.ts';
import type { Mod } from '@trimtab/test-bed/objects/build.ts';
import type { ConfigMap } from '@trimtab/test-bed/objects/config-map.ts';
import type { PodTemplate, Templated } from '@trimtab/test-bed/objects/pod-template.ts';
import type { Secret } from '@trimtab/test-bed/objects/secret.ts';
import { type Behaviour, behaving, behaviourAnnotation } from '@trimtab/test-bed/simulated-pods/behaviour.ts';
import { findReferences } from '../../src/core/references/references.ts';

/** Behaviour of a pod: it works, stays starting, or fails, optionally with a termination message and an exit code. */
export type AppBehaviour = 'works' | 'starts' | Behaviour | { crashes: string; exitCode: number };

/** Decides the behaviour of a pod by the content of its configs. */
export type App = (data: Record<string, string>, pod: Pod) => AppBehaviour;

interface Pod extends KubeObject {
  spec: PodTemplate['spec'];
}

/** Pods that work become Ready after this time. Defaults to at once. */
interface Startup {
  clock: Clock;
  startupMs: number;
}

/** Pods of this workload stay unready until SimulatedApp has decided their behaviour. */
export const runningTheApp: Mod<Templated> = behaving('unready');

/**
 * The application of simulated pods. It reads the configs of each pod and sets the behaviour of the pod accordingly.
 * When the app changes, the behaviour of all pods is set again.
 */
export class SimulatedApp implements AsyncDisposable {
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #startup: Startup | undefined;
  readonly #end = new AbortController();
  #app: App;
  #watching: Promise<void> = Promise.resolve();

  private constructor(client: KubeClient, namespace: string, app: App, startup: Startup | undefined) {
    this.#startup = startup;
    this.#client = client;
    this.#namespace = namespace;
    this.#app = app;
  }

  static async start(
    client: KubeClient,
    namespace: string,
    app: App,
    startup?: Startup,
  ): Promise<SimulatedApp> {
    const simulated = new SimulatedApp(client, namespace, app, startup);
    const from = await simulated.#lookAtAll();
    simulated.#watching = simulated.#watch(from).catch((error: unknown) => {
      if (!simulated.#end.signal.aborted) throw error;
    });
    return simulated;
  }

  async becomes(app: App): Promise<void> {
    this.#app = app;
    await this.#lookAtAll();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#watching;
  }

  async #lookAtAll(): Promise<string> {
    const { items, metadata } = await this.#client.list<Pod>(pods, { namespace: this.#namespace });
    for (const pod of items) await this.#lookAt(pod);
    return metadata.resourceVersion ?? '';
  }

  /** The server ends a watch after its timeout, and a run may take longer. The next watch resumes from the last event. */
  async #watch(from: string): Promise<void> {
    const { signal } = this.#end;
    let resourceVersion = from;
    while (!signal.aborted) {
      const where = { namespace: this.#namespace, resourceVersion, timeoutSeconds: 600, signal };
      const watch = await this.#client.watch(pods, where);
      let isExpired = false;
      for await (const { type, object } of watch.events as AsyncIterable<WatchEvent<Pod>>) {
        if (type === 'ADDED') await this.#lookAt(object);
        isExpired = type === 'ERROR';
        resourceVersion = object.metadata.resourceVersion ?? resourceVersion;
      }
      if (isExpired) resourceVersion = await this.#lookAtAll();
    }
  }

  async #lookAt(pod: Pod): Promise<void> {
    const content = await this.#contentOf(pod);
    // Uses the current app: it may have changed during the read.
    const behaviour = this.#app(content, pod);
    if (behaviour === 'works' && this.#startup !== undefined && this.#startup.startupMs > 0) {
      const { clock, startupMs } = this.#startup;
      clock.after(startupMs, () => {
        this.#behave(pod, behaviour).catch((error: unknown) => {
          if (!this.#end.signal.aborted) throw error;
        });
      });
    } else await this.#behave(pod, behaviour);
  }

  async #behave(pod: Pod, behaviour: AppBehaviour): Promise<void> {
    if (this.#end.signal.aborted) return;
    const annotations = annotationsFor(behaviour);
    const { name = '', uid } = pod.metadata;
    const patch = { type: 'merge' as const, body: { metadata: { uid, annotations } } };
    await this.#client.patch(pods, { namespace: this.#namespace, name }, patch).catch((error: unknown) => {
      // The pod may be gone; a 422 means that a new pod has its name.
      if (!isNotFound(error) && !(error instanceof ApiError && error.status === 422)) throw error;
    });
  }

  /** Returns the content of all referenced configs as one object. An optional config may be missing. */
  async #contentOf({ spec }: Pod): Promise<Record<string, string>> {
    const content: Record<string, string> = {};
    for (const { kind, name } of findReferences({ spec })) {
      const where = { namespace: this.#namespace, name };
      if (kind === 'ConfigMap')
        Object.assign(content, (await getIfExists<ConfigMap>(this.#client, configMaps, where))?.data);
      else {
        const found = await getIfExists<Secret>(this.#client, secrets, where);
        for (const [key, value] of Object.entries(found?.data ?? {}))
          content[key] = Buffer.from(value, 'base64').toString();
      }
    }
    return content;
  }
}

function annotationsFor(fate: AppBehaviour): Record<string, string | null> {
  if (fate === 'works') return { [behaviourAnnotation]: null };
  if (fate === 'starts') return { [behaviourAnnotation]: 'unready' };
  if (typeof fate === 'string') return { [behaviourAnnotation]: fate };
  return {
    [behaviourAnnotation]: 'crash-loop',
    'bed.trimtab.dev/exit-code': String(fate.exitCode),
    'bed.trimtab.dev/message': fate.crashes,
  };
}
