import { isDeepStrictEqual } from 'node:util';
import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import { controllerRevisions, statefulSets } from '@trimtab/kube/resource.ts';
import { isAlreadyExists } from '@trimtab/kube/transport/errors.ts';
import type { Pod } from '../../objects/pod.ts';
import type { ControllerRevision, StatefulSet } from '../../objects/workloads.ts';
import type { Informer } from '../host/informers.ts';
import type { ControllerContext, LocalController } from '../host/local-controller.ts';
import { referenceTo } from '../host/reference-to.ts';
import { errorText, isNamespaceGoing } from '../host/refusal.ts';
import { OwnedPods } from '../pods/owned-pods.ts';
import { whenAvailable } from '../pods/when-available.ts';
import { type History, RevisionHistory } from '../revisions/revision-history.ts';
import { planStatefulSet, type Step } from './plan-stateful-set.ts';
import { ordinalOf, revisionOf, statefulPod } from './stateful-pod.ts';
import { statefulSetStatus } from './stateful-set-status.ts';

/** Runs one pod per ordinal of each StatefulSet. */
export function statefulSetController(context: ControllerContext): LocalController {
  return new StatefulSetController(context);
}

class StatefulSetController implements LocalController {
  readonly name = 'statefulset-controller';
  readonly #context: ControllerContext;
  readonly #sets: Informer<StatefulSet>;
  readonly #pods: OwnedPods<StatefulSet>;
  readonly #history: RevisionHistory;

  constructor(context: ControllerContext) {
    const { client, informers } = context;
    this.#context = context;
    this.#sets = informers.of(statefulSets);
    this.#pods = new OwnedPods(context, statefulSets, this.#sets);
    this.#history = new RevisionHistory(client, informers.of<ControllerRevision>(controllerRevisions), {
      owner: statefulSets,
      hashLabel: 'controller.kubernetes.io/hash',
    });
  }

  listen(enqueue: (key: string) => void): (() => void)[] {
    return [this.#sets.subscribe(({ key }) => enqueue(key)), this.#pods.listen(enqueue)];
  }

  async reconcile(key: string): Promise<ReconcileResult | undefined> {
    const set = this.#sets.get(key);
    if (set === undefined) return undefined;
    const history = await this.#history.of(set);
    const mine = await this.#podsOf(set);
    const { clock } = this.#context;
    const { update } = history;
    const steps = planStatefulSet({
      set,
      pods: mine,
      updateRevision: update.metadata.name ?? '',
      isGoing: (pod) => this.#pods.isGoing(pod),
      now: clock.now(),
    });
    const current = currentRevision(set, history);
    const failed = await this.#carryOut(set, steps, { current, update });
    const after = await this.#podsOf(set);
    await this.#writeStatus(set, after, { ...history, current });
    const used = [current, update].map(({ metadata }) => metadata.name ?? '');
    const named = after.flatMap((pod) => revisionOf(pod) ?? []);
    await this.#history.prune(set, history.all, new Set([...used, ...named]));
    if (failed !== undefined) throw failed;
    return whenAvailable(after, set.spec.minReadySeconds ?? 0, clock.now());
  }

  /** A pod whose name has no ordinal of the set is never claimed, whatever its labels. */
  #podsOf(set: StatefulSet): Promise<Pod[]> {
    return this.#pods.of(set, (pod) => ordinalOf(set, pod) !== undefined);
  }

  /** Attempts every step, and returns the first error. */
  async #carryOut(
    set: StatefulSet,
    steps: readonly Step[],
    revisions: Record<'current' | 'update', ControllerRevision>,
  ): Promise<unknown> {
    const results = await Promise.allSettled(
      steps.map((step) =>
        step.do === 'delete'
          ? this.#delete(set, step.pod)
          : this.#create(set, statefulPod(set, step.ordinal, revisions[step.of])),
      ),
    );
    return results.find((each) => each.status === 'rejected')?.reason;
  }

  async #create(set: StatefulSet, pod: Pod): Promise<void> {
    try {
      if ((set.spec.volumeClaimTemplates ?? []).length > 0)
        throw new Error(
          'the local cluster does not support PersistentVolumeClaims: use an emptyDir volume or another cluster',
        );
      await this.#pods.create(set, pod);
      this.#recordEvent(set, 'create', pod);
    } catch (error) {
      // A previous reconcile created the pod, and the cache does not show it yet.
      if (isAlreadyExists(error)) return;
      if (!isNamespaceGoing(error)) this.#recordEvent(set, 'create', pod, error);
      throw error;
    }
  }

  async #delete(set: StatefulSet, pod: Pod): Promise<void> {
    try {
      await this.#pods.delete(pod);
      this.#recordEvent(set, 'delete', pod);
    } catch (error) {
      this.#recordEvent(set, 'delete', pod, error);
      throw error;
    }
  }

  #recordEvent(set: StatefulSet, verb: 'create' | 'delete', { metadata }: Pod, error?: unknown): void {
    const word = verb === 'create' ? 'Create' : 'Delete';
    const what = `${word} Pod ${metadata.name} in StatefulSet ${set.metadata.name}`;
    const about = referenceTo(statefulSets, set);
    if (error === undefined)
      this.#context.recordEvent(about, 'Normal', `Successful${word}`, `${what} successful`);
    else
      this.#context.recordEvent(
        about,
        'Warning',
        `Failed${word}`,
        `${what} failed error: ${errorText(error)}`,
      );
  }

  async #writeStatus(
    set: StatefulSet,
    mine: readonly Pod[],
    { current, update, collisionCount }: History & { current: ControllerRevision },
  ): Promise<void> {
    const revisions = {
      current: current.metadata.name ?? '',
      update: update.metadata.name ?? '',
      collisionCount,
    };
    const status = statefulSetStatus(set, mine, revisions, this.#context.clock.now());
    if (isDeepStrictEqual(status, set.status)) return;
    await this.#context.client.update(statefulSets, { ...set, status }, { subresource: 'status' });
  }
}

/** The revision named in the status, if it exists. Otherwise, as in a new set, the update revision. */
function currentRevision({ status }: StatefulSet, { all, update }: History): ControllerRevision {
  return all.find(({ metadata }) => metadata.name === status?.currentRevision) ?? update;
}
