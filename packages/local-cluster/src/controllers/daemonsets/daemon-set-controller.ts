import { isDeepStrictEqual } from 'node:util';
import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import { RetryDelays } from '@trimtab/kube/queue/retry-delays.ts';
import { controllerRevisions, daemonSets, nodes } from '@trimtab/kube/resource.ts';
import type { Node } from '../../objects/node.ts';
import type { Pod } from '../../objects/pod.ts';
import type { ControllerRevision, DaemonSet } from '../../objects/workloads.ts';
import type { Informer } from '../host/informers.ts';
import type { ControllerContext, LocalController } from '../host/local-controller.ts';
import { referenceTo } from '../host/reference-to.ts';
import { errorText, isNamespaceGoing } from '../host/refusal.ts';
import { OwnedPods } from '../pods/owned-pods.ts';
import { whenAvailable } from '../pods/when-available.ts';
import { type History, RevisionHistory } from '../revisions/revision-history.ts';
import { daemonPod, hashLabel } from './daemon-pod.ts';
import { daemonSetStatus } from './daemon-set-status.ts';
import { type DaemonPlan, planDaemonSet } from './plan-daemon-set.ts';

/** Runs one pod of each DaemonSet on every eligible node. */
export function daemonSetController(context: ControllerContext): LocalController {
  return new DaemonSetController(context);
}

/** Backoff for replacing failed pods: a node may reject every pod. The first failed pod is deleted immediately. */
const failedPodLimits = { initialMs: 1_000, maxMs: 15 * 60_000 };

class DaemonSetController implements LocalController {
  readonly name = 'daemonset-controller';
  readonly #context: ControllerContext;
  readonly #sets: Informer<DaemonSet>;
  readonly #pods: OwnedPods<DaemonSet>;
  readonly #nodes: Informer<Node>;
  readonly #history: RevisionHistory;
  readonly #failures = new RetryDelays(failedPodLimits, Math.random);
  /** Earliest time to delete the next failed pod, by DaemonSet and node, in monotonic milliseconds. */
  readonly #leftUntil = new Map<string, number>();

  constructor(context: ControllerContext) {
    const { client, informers } = context;
    this.#context = context;
    this.#sets = informers.of(daemonSets);
    this.#pods = new OwnedPods(context, daemonSets, this.#sets);
    this.#nodes = informers.of(nodes);
    this.#history = new RevisionHistory(client, informers.of<ControllerRevision>(controllerRevisions), {
      owner: daemonSets,
      hashLabel,
    });
  }

  listen(enqueue: (key: string) => void): (() => void)[] {
    return [
      this.#sets.subscribe(({ key }) => enqueue(key)),
      this.#nodes.subscribe(({ before, after }) => {
        // Heartbeats update a node frequently and never affect which daemon pods it runs.
        if (before && after && isDeepStrictEqual(placeOf(before), placeOf(after))) return;
        for (const { metadata } of this.#sets.all()) enqueue(`${metadata.namespace}/${metadata.name}`);
      }),
      this.#pods.listen(enqueue),
    ];
  }

  async reconcile(key: string): Promise<ReconcileResult | undefined> {
    const set = this.#sets.get(key);
    if (set === undefined) return undefined;
    const { clock } = this.#context;
    const history = await this.#history.of(set);
    const hash = history.update.metadata.labels?.[hashLabel] ?? '';
    const mine = await this.#pods.of(set);
    const isGoing = (pod: Pod) => this.#pods.isGoing(pod);
    const all = this.#nodes.all();
    let failed: unknown;
    let waitMs: number | undefined;
    if (set.metadata.deletionTimestamp === undefined) {
      const plan = planDaemonSet({ set, nodes: all, pods: mine, hash, isGoing, now: clock.now() });
      const { due, nextMs } = this.#dueToGo(set, plan.ended);
      waitMs = nextMs;
      failed = await this.#carryOut(set, plan, due, hash);
    }
    const after = await this.#pods.of(set);
    await this.#writeStatus(set, all, after, history, hash);
    const used = new Set([history.update.metadata.name ?? '', ...this.#usedRevisions(history, after)]);
    await this.#history.prune(set, history.all, used);
    if (failed !== undefined) throw failed;
    if (waitMs !== undefined) return { requeueAfterMs: waitMs };
    return whenAvailable(after, set.spec.minReadySeconds ?? 0, clock.now());
  }

  /** Selects the finished pods to delete now, and returns when the next one is due. */
  #dueToGo(
    set: DaemonSet,
    ended: DaemonPlan['ended'],
  ): { due: DaemonPlan['ended']; nextMs: number | undefined } {
    const now = this.#context.clock.monotonic();
    const waits: number[] = [];
    const due = ended.filter(({ node, how }) => {
      if (how === 'succeeded') return true;
      const key = `${set.metadata.uid}/${node}`;
      const until = this.#leftUntil.get(key) ?? 0;
      if (until > now) {
        waits.push(until - now);
        return false;
      }
      this.#leftUntil.set(key, now + this.#failures.afterFailure(key));
      return true;
    });
    return { due, nextMs: waits.length === 0 ? undefined : Math.min(...waits) };
  }

  async #carryOut(
    set: DaemonSet,
    plan: DaemonPlan,
    due: DaemonPlan['ended'],
    hash: string,
  ): Promise<unknown> {
    const about = referenceTo(daemonSets, set);
    for (const { pod, node, how } of due) {
      const { namespace, name } = pod.metadata;
      const [type, reason, what] =
        how === 'failed'
          ? (['Warning', 'FailedDaemonPod', 'kill'] as const)
          : (['Normal', 'SucceededDaemonPod', 'delete'] as const);
      const message = `Found ${how} daemon pod ${namespace}/${name} on node ${node}, will try to ${what} it`;
      this.#context.recordEvent(about, type, reason, message);
    }
    const results = await Promise.allSettled([
      ...plan.create.map((node) => this.#create(set, daemonPod(set, node, hash))),
      ...[...plan.delete, ...due.map(({ pod }) => pod)].map((pod) => this.#delete(set, pod)),
    ]);
    return results.find((each) => each.status === 'rejected')?.reason;
  }

  async #create(set: DaemonSet, pod: Pod): Promise<void> {
    const about = referenceTo(daemonSets, set);
    try {
      const made = await this.#pods.create(set, pod);
      this.#context.recordEvent(about, 'Normal', 'SuccessfulCreate', `Created pod: ${made.metadata.name}`);
    } catch (error) {
      if (isNamespaceGoing(error)) return;
      this.#context.recordEvent(about, 'Warning', 'FailedCreate', `Error creating: ${errorText(error)}`);
      throw error;
    }
  }

  async #delete(set: DaemonSet, pod: Pod): Promise<void> {
    const about = referenceTo(daemonSets, set);
    try {
      await this.#pods.delete(pod);
      this.#context.recordEvent(about, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
    } catch (error) {
      this.#context.recordEvent(about, 'Warning', 'FailedDelete', `Error deleting: ${errorText(error)}`);
      throw error;
    }
  }

  async #writeStatus(
    set: DaemonSet,
    all: readonly Node[],
    mine: readonly Pod[],
    { collisionCount }: History,
    hash: string,
  ): Promise<void> {
    const status = daemonSetStatus(set, all, mine, { hash, collisionCount }, this.#context.clock.now());
    if (isDeepStrictEqual(status, set.status)) return;
    await this.#context.client.update(daemonSets, { ...set, status }, { subresource: 'status' });
  }

  #usedRevisions({ all }: History, mine: readonly Pod[]): string[] {
    const hashes = new Set(mine.map(({ metadata }) => metadata.labels?.[hashLabel]));
    return all.flatMap(({ metadata }) =>
      hashes.has(metadata.labels?.[hashLabel]) ? (metadata.name ?? []) : [],
    );
  }
}

/** The fields of a node that decide whether it runs daemon pods. */
function placeOf({ metadata, spec }: Node): unknown {
  return [metadata.labels, spec?.taints, spec?.unschedulable];
}
