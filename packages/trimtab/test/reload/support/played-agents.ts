import type { KubeClient } from '@trimtab/kube/client.ts';
import { pods } from '@trimtab/kube/resource.ts';
import type { KubeObject, WatchEvent } from '@trimtab/kube/wire.ts';
import { type InjectedPod, injected } from '../../../src/api/injected-pod.ts';
import { annotations, labels } from '../../../src/api/names.ts';
import { podToken } from '../../gateway/support/pod-token.ts';

interface Pod extends KubeObject {
  spec: { nodeName?: string; initContainers?: { name: string; env?: { name: string; value?: string }[] }[] };
}

interface Given extends KubeObject {
  data?: Record<string, string>;
  metadata: KubeObject['metadata'] & { version?: string };
}

/** What the application of a pod does with a version. */
export type Answer = 'acknowledges' | 'is silent' | { refuses: string };

/**
 * Plays the agents of simulated pods: each has the token of its pod, watches the configs of its pod at the gateway and
 * reports what its application answers. Real agents run in containers only.
 */
export class PlayedAgents implements AsyncDisposable {
  /** Versions that pods were given, such as `web-1 configmap/foo 1.0.1`. */
  readonly given: string[] = [];
  /** The assignments of these versions, such as `configmap/foo 1.0.1` → hash. */
  readonly assignments = new Map<string, string | undefined>();
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #gateway: () => string;
  readonly #end = new AbortController();
  readonly #agents = new Map<string, Promise<void>>();
  #answer: (data: Record<string, string>, pod: string) => Answer;
  #sequence = 0;
  #watching: Promise<void> = Promise.resolve();

  private constructor(
    client: KubeClient,
    namespace: string,
    gateway: () => string,
    answer: PlayedAgents['answers'],
  ) {
    this.#client = client;
    this.#namespace = namespace;
    this.#gateway = gateway;
    this.#answer = answer;
  }

  static async start(
    client: KubeClient,
    namespace: string,
    gateway: () => string,
    answer: PlayedAgents['answers'] = () => 'acknowledges',
  ): Promise<PlayedAgents> {
    const agents = new PlayedAgents(client, namespace, gateway, answer);
    const { items, metadata } = await client.list<Pod>(pods, { namespace });
    for (const pod of items) agents.#play(pod);
    agents.#watching = agents.#watch(metadata.resourceVersion ?? '').catch((error: unknown) => {
      if (!agents.#end.signal.aborted) throw error;
    });
    return agents;
  }

  get answers(): (data: Record<string, string>, pod: string) => Answer {
    return this.#answer;
  }

  set answers(answer: (data: Record<string, string>, pod: string) => Answer) {
    this.#answer = answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#watching;
    await Promise.allSettled(this.#agents.values());
  }

  async #watch(resourceVersion: string): Promise<void> {
    const { signal } = this.#end;
    const where = { namespace: this.#namespace, resourceVersion, timeoutSeconds: 600, signal };
    const watch = await this.#client.watch(pods, where);
    for await (const { object } of watch.events as AsyncIterable<WatchEvent<Pod>>) this.#play(object);
  }

  #play(pod: Pod): void {
    const { uid = '', labels: own, deletionTimestamp } = pod.metadata;
    // The agent starts on the node of the pod.
    if (!pod.spec.nodeName) return;
    if (own?.[labels.injected] !== 'true' || deletionTimestamp !== undefined || this.#agents.has(uid)) return;
    const { configs } = injectedPod(pod);
    const all = configs.map((config) => this.#follow(pod, config));
    this.#agents.set(
      uid,
      Promise.all(all).then(() => {}),
    );
  }

  /** Watches one config until the pod is gone. */
  async #follow(pod: Pod, config: InjectedPod['configs'][number]): Promise<void> {
    const plural = `${config.kind.toLowerCase()}s`;
    const path = `/api/v1/namespaces/${this.#namespace}/${plural}/${config.name}/current`;
    const { signal } = this.#end;
    while (!signal.aborted) {
      try {
        const token = await podToken(this.#client, pod);
        const headers = { authorization: `Bearer ${token}` };
        const response = await fetch(`${this.#gateway()}${path}?watch=true`, { headers, signal });
        if (response.status === 403 || response.body === null) return;
        for await (const object of versionsIn(response.body)) {
          const { name = '' } = pod.metadata;
          const version = `${config.kind.toLowerCase()}/${config.name} ${object.metadata.version}`;
          this.given.push(`${name} ${version}`);
          this.assignments.set(version, object.metadata.annotations?.[labels.assigned]);
          void this.#report(`${this.#gateway()}${path}/ack`, headers, object, name);
        }
      } catch {
        // The gateway is away, or the pod. The real agent waits with a backoff.
        if ((await this.#isGone(pod)) || signal.aborted) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  async #report(url: string, headers: Record<string, string>, object: Given, pod: string): Promise<void> {
    const answer = this.#answer(object.data ?? {}, pod);
    if (answer === 'is silent') return;
    this.#sequence = Math.max(this.#sequence + 1, Date.now());
    const body = JSON.stringify({
      object: object.metadata.annotations?.[annotations.object],
      result: answer === 'acknowledges' ? 'Acknowledged' : 'Refused',
      ...(answer !== 'acknowledges' && { reason: answer.refuses }),
      sequence: this.#sequence,
    });
    const { signal } = this.#end;
    const request = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      signal,
    };
    for (;;) {
      const response = await fetch(url, request).catch(() => undefined);
      if (signal.aborted || (response !== undefined && ![202, 503].includes(response.status))) return;
    }
  }

  async #isGone({ metadata: { name = '', uid } }: Pod): Promise<boolean> {
    const found = await this.#client.get(pods, { namespace: this.#namespace, name }).catch(() => undefined);
    return found?.metadata.uid !== uid;
  }
}

function injectedPod(pod: Pod): InjectedPod {
  const agent = pod.spec.initContainers?.find(({ name }) => name === injected.container);
  return JSON.parse(agent?.env?.find(({ name }) => name === injected.env.pod)?.value ?? '{"configs":[]}');
}

async function* versionsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<Given> {
  const text = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + text.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { type, object } = JSON.parse(line);
      if (type === 'ADDED' || type === 'MODIFIED') yield object;
    }
  }
}
