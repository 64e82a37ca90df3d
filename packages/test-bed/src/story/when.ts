import type { KubeClient } from '@trimtab/kube/client.ts';
import { pods, type Resource } from '@trimtab/kube/resource.ts';
import { isConflict } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Engine, Identity } from '../engines/engine.ts';
import { kubectl } from '../engines/kubectl.ts';
import { type Behaviour, behaviourAnnotation } from '../simulated-pods/behaviour.ts';

/** The actions of a test. They run as the administrator; `by` selects another identity. */
export class When {
  readonly #engine: Engine;
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #kubeconfig: string | undefined;

  constructor(engine: Engine, client: KubeClient, namespace: string, kubeconfig?: string) {
    this.#engine = engine;
    this.#client = client;
    this.#namespace = namespace;
    this.#kubeconfig = kubeconfig;
  }

  async by(who: Identity): Promise<When> {
    const [client, kubeconfig] = await Promise.all([
      this.#engine.connect(who),
      this.#engine.kubeconfigOf(who),
    ]);
    return new When(this.#engine, client, this.#namespace, kubeconfig);
  }

  /** Runs `kubectl apply` with all objects in one call. */
  async applied(...objects: KubeObject[]): Promise<void> {
    const list = { apiVersion: 'v1', kind: 'List', items: objects };
    await this.#kubectl(['apply', '--filename', '-'], JSON.stringify(list));
  }

  /** Runs `kubectl apply --server-side`, which tracks the manager of each field. */
  async appliedByServer(object: KubeObject, ...flags: string[]): Promise<void> {
    await this.#kubectl(['apply', '--server-side', ...flags, '--filename', '-'], JSON.stringify(object));
  }

  /** Runs `kubectl replace`, which removes fields that the manifest does not contain. */
  async replaced(object: KubeObject): Promise<void> {
    for (;;) {
      try {
        await this.#kubectl(['replace', '--filename', '-'], JSON.stringify(object));
        return;
      } catch (error) {
        // kubectl reads before it writes. A controller that writes in between causes a conflict, which users retry.
        if (!String(error).includes('the object has been modified')) throw error;
      }
    }
  }

  /** Reads, changes and updates an object. Retries on a conflict. */
  async edited<T extends KubeObject>(
    resource: Resource,
    name: string,
    change: (object: T) => void,
  ): Promise<T> {
    for (;;) {
      const object = await this.#client.get<T>(resource, { namespace: this.#namespace, name });
      change(object);
      try {
        return await this.#client.update(resource, object);
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
  }

  async scaled(resource: Resource, name: string, replicas: number): Promise<void> {
    const where = { namespace: this.#namespace, name };
    await this.#client.patch(resource, where, { type: 'merge', body: { spec: { replicas } } });
  }

  async deleted(resource: Resource, name: string): Promise<void> {
    await this.#client.delete(resource, { namespace: this.#namespace, name });
  }

  /** Runs kubectl in the test's namespace and returns its output. Throws with its standard error on failure. */
  async kubectl(...args: string[]): Promise<string> {
    return this.#kubectl(args);
  }

  /** Changes the behaviour of running simulated pods. `well` makes them Ready again. */
  async podsBehave(labelSelector: string, behaviour: Behaviour | 'well'): Promise<void> {
    const { items } = await this.#client.list(pods, { namespace: this.#namespace, labelSelector });
    const annotations = { [behaviourAnnotation]: behaviour === 'well' ? null : behaviour };
    for (const { metadata } of items)
      await this.#client.patch(
        pods,
        { namespace: this.#namespace, name: metadata.name ?? '' },
        { type: 'merge', body: { metadata: { annotations } } },
      );
  }

  async #kubectl(args: string[], stdin?: string): Promise<string> {
    const { stdout, stderr, code } = await kubectl(this.#engine, args, {
      namespace: this.#namespace,
      ...(stdin === undefined ? {} : { stdin }),
      ...(this.#kubeconfig === undefined ? {} : { kubeconfig: this.#kubeconfig }),
    });
    if (code === 0) return stdout;
    const end = code === null ? 'was killed because it timed out' : `exited with code ${code}`;
    throw new Error(`kubectl ${args.join(' ')} ${end}: ${stderr.trim()}`);
  }
}
