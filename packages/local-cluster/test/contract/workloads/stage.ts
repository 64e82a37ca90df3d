import type { KubeClient, Selection } from '@trimtab/kube/client.ts';
import { deployments, events, pods, type Resource, replicaSets } from '@trimtab/kube/resource.ts';
import { isConflict, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { resourceOf } from '@trimtab/test-bed/objects/resources.ts';
import { summaryOf } from '@trimtab/test-bed/objects/summary.ts';
import { type Observation, waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { waitForState } from '@trimtab/test-bed/watching/wait-for-state.ts';
import type { Pod } from '../../../src/objects/pod.ts';
import type { Condition, Deployment, ReplicaSet } from '../../../src/objects/workloads.ts';
import type { Target } from '../api/target.ts';

interface CoreEvent extends KubeObject {
  involvedObject: { kind: string; name: string };
  type: string;
  reason: string;
  message: string;
  count?: number;
  source?: { component?: string };
}

/** Generous, because cases run concurrently and in one process with the local cluster. */
export const caseTimeoutMs = 90_000;

const revision = 'deployment.kubernetes.io/revision';

/** The namespace of an area, with the operations that cases about workloads need. */
export class Stage {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly #target: Target | undefined;

  constructor(client: KubeClient, namespace: string, target?: Target) {
    this.client = client;
    this.namespace = namespace;
    this.#target = target;
  }

  static async on(target: Target): Promise<Stage> {
    return new Stage(await target.engine.connect(), target.namespace, target);
  }

  async create<T extends KubeObject>(object: T): Promise<T> {
    const placed = { ...object, metadata: { ...object.metadata, namespace: this.namespace } };
    return this.client.create(resourceOf(object), placed);
  }

  async merge(resource: Resource, name: string, body: object): Promise<void> {
    await this.client.patch(resource, { namespace: this.namespace, name }, { type: 'merge', body });
  }

  /** Reads, changes and updates an object; retries on a conflict with a controller. */
  async edit<T extends KubeObject>(
    resource: Resource,
    name: string,
    change: (object: T) => void,
  ): Promise<T> {
    for (;;) {
      const object = await this.client.get<T>(resource, { namespace: this.namespace, name });
      change(object);
      try {
        return await this.client.update(resource, object);
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
  }

  /** Replaces the template of a Deployment. */
  async retemplate(name: string, template: object): Promise<void> {
    await this.edit<Deployment>(deployments, name, ({ spec }) => {
      spec.template = template as Deployment['spec']['template'];
    });
  }

  deployment(name: string): Promise<Deployment> {
    return this.client.get(deployments, { namespace: this.namespace, name });
  }

  set(name: string): Promise<ReplicaSet> {
    return this.client.get(replicaSets, { namespace: this.namespace, name });
  }

  /** Undefined when the object does not exist. */
  async find<T extends KubeObject>(resource: Resource, name: string): Promise<T | undefined> {
    try {
      return await this.client.get<T>(resource, { namespace: this.namespace, name });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** The ReplicaSets of a Deployment whose pods have its name as the label `app`, ordered by revision. */
  async sets(deployment: string): Promise<ReplicaSet[]> {
    const all = await this.#list<ReplicaSet>(replicaSets, { labelSelector: `app=${deployment}` });
    return all
      .filter(({ metadata }) => metadata.ownerReferences?.some(({ name }) => name === deployment))
      .sort((a, b) => revisionOf(a) - revisionOf(b));
  }

  /** Pods that are neither finished nor being deleted. */
  async pods(app: string): Promise<Pod[]> {
    const found = await this.#list<Pod>(pods, { labelSelector: `app=${app}` });
    return found.filter(
      ({ metadata, status }) =>
        metadata.deletionTimestamp === undefined &&
        status?.phase !== 'Failed' &&
        status?.phase !== 'Succeeded',
    );
  }

  /** The Events of an object, ordered by resource version; a repeated Event has a count. */
  async events(kind: string, name: string): Promise<CoreEvent[]> {
    const found = await this.#list<CoreEvent>(events, {
      fieldSelector: `involvedObject.kind=${kind},involvedObject.name=${name}`,
    });
    return found.sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
  }

  async kubectl(...args: string[]): Promise<string> {
    if (this.#target === undefined)
      throw new Error('kubectl requires a Stage that was created with a target');
    const { stdout, stderr, code } = await this.#target.kubectl(args, { timeoutMs: caseTimeoutMs });
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} exited with ${code}: ${stderr}${stdout}`);
    return stdout;
  }

  /** Checks every state of one object, including transient ones, until the test holds. */
  async until<T extends KubeObject>(
    what: string,
    resource: Resource,
    name: string,
    test: (object: T) => boolean,
    timeoutMs = caseTimeoutMs / 2,
  ): Promise<T> {
    const where = { namespace: this.namespace, name };
    const judge = (object: T | undefined): Observation<T> => {
      if (object === undefined) return { seen: `there is no ${resource.kind} ${name}` };
      return test(object) ? { met: object } : { seen: summaryOf({ kind: resource.kind, ...object }) };
    };
    return waitForState(what, this.client, resource, where, judge, { timeoutMs });
  }

  wait<T>(what: string, look: () => Promise<Observation<T>>): Promise<T> {
    return waitFor(what, look, { timeoutMs: caseTimeoutMs / 2, everyMs: 100 });
  }

  /** Waits until all replicas are updated, available and observed, no old pod is left, and the conditions report it. */
  rolledOut(name: string): Promise<Deployment> {
    return this.until<Deployment>(
      `${name} is rolled out`,
      deployments,
      name,
      ({ metadata, spec, status = {} }) => {
        const { updatedReplicas = 0, replicas = 0, availableReplicas = 0 } = status;
        const deadline = spec.progressDeadlineSeconds !== 0x7fffffff;
        return (
          status.observedGeneration === metadata.generation &&
          [updatedReplicas, replicas, availableReplicas].every((each) => each === spec.replicas) &&
          (status.terminatingReplicas ?? 0) === 0 &&
          (!deadline || conditionOf(status.conditions, 'Progressing')?.reason === 'NewReplicaSetAvailable')
        );
      },
    );
  }

  /** Waits until the ReplicaSets, by revision, have these sizes and as many observed pods. */
  sized(name: string, ...sizes: number[]): Promise<ReplicaSet[]> {
    return this.wait(`the ReplicaSets of ${name} have ${sizes} pods`, async () => {
      const sets = await this.sets(name);
      const seen = sets.map(({ spec, status }) => `${spec.replicas} (${status?.replicas ?? 0} there)`);
      const wanted = sizes.map((size) => `${size} (${size} there)`);
      return seen.join() === wanted.join() ? { met: sets } : { seen: seen.join() || 'none' };
    });
  }

  async #list<T extends KubeObject>(resource: Resource, selection: Selection = {}): Promise<T[]> {
    const { items } = await this.client.list<T>(resource, { namespace: this.namespace, ...selection });
    return items;
  }
}

export function conditionOf(
  conditions: readonly Condition[] | undefined,
  type: string,
): Condition | undefined {
  return conditions?.find((each) => each.type === type);
}

/** Status, reason and message of a condition, without times. */
export function saying(condition: Condition | undefined): string {
  const { status, reason, message } = condition ?? {};
  return `${status} ${reason}: ${message}`;
}

export function revisionOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.[revision] ?? 0);
}

/** The pod template hash: `5d9c7b6f4` for `web-5d9c7b6f4`. */
export function hashOf({ metadata }: KubeObject): string {
  return metadata.labels?.['pod-template-hash'] ?? '';
}
