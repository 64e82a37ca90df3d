import type { CallOptions } from '@trimtab/kube/client.ts';
import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import type { Change } from '@trimtab/kube/watch/store.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import {
  type GroupMemory,
  type GroupPlan,
  type PlannedActivation,
  planGroup,
} from '../../core/activation/plan-group.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { versionMetadata } from '../../core/version/version-metadata.ts';
import { hasSameWorkloads } from '../../core/workload/managed-workloads.ts';
import { configGroup, groupKey } from '../cache/config-group.ts';
import { type ConfigMetadata, isSameVersion, type Original } from '../cache/configs.ts';
import { originalName, rolloutManaging, rolloutOf } from '../cache/lookup.ts';
import type { Workload } from '../cache/workloads.ts';
import type { ControllerContext } from '../context.ts';
import type { Reconciler, Unsubscribe } from '../reconciler.ts';
import { ActivationIds } from './activation-ids.ts';
import { allSettled } from './all-settled.ts';
import { applyCommand } from './apply.ts';
import { clearSpecVersion } from './clear-spec-version.ts';
import { markOutcome } from './mark-outcome.ts';
import { marksAreSeen } from './marks-are-seen.ts';
import { type ObservedGroup, type ObservedRollout, observeGroup } from './observe.ts';
import { preflight } from './preflight.ts';
import { StatusWrites } from './status-writes.ts';
import { writeOutcome } from './write-outcome.ts';

/** What is missing is on its way here. */
const staleMs = 50;
/** Nothing tells us when a policy or a right of the cluster changes: ask again now and then. */
const deniedMs = 2_000;

type ActivationResult = 'done' | 'stale' | 'denied';

/**
 * Makes versions current, over all workloads that use them. A key stands for a group of configs that share
 * workloads: it is that of the first rollout among them.
 */
export class ActivationReconciler implements Reconciler {
  readonly name = 'activation';
  /** Most of them wait for their turn to write down what was done: that must not keep the next from moving. */
  readonly concurrency = 1_000;
  readonly #context: ControllerContext;
  readonly #memory = new Map<string, GroupMemory>();
  readonly #begun = new ActivationIds();
  readonly #writes = new StatusWrites();

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  listen(enqueue: (key: string) => void): Unsubscribe[] {
    const { cluster } = this.#context;
    const enqueueGroup = (rollout: ConfigRollout | undefined) => {
      if (rollout !== undefined) enqueue(groupKey(cluster, rollout));
    };
    const enqueueConfig = (namespace: string, kind: ConfigKind, name: string) =>
      enqueueGroup(rolloutOf(cluster, namespace, kind, originalName(cluster, namespace, kind, name)));
    const onVersion = ({ before, after }: Change<ConfigMetadata>) => {
      // Who owns it and who uses it is for others.
      if (before && after && isSameVersion(before, after, ['inUse', 'ownerReferences'])) return;
      const version = versionMetadata(after ?? before);
      if (version !== undefined)
        enqueueGroup(rolloutOf(cluster, version.namespace, version.kind, version.config));
    };
    const onOriginal = ({ before, after }: Change<Original>) => {
      const config = after ?? before;
      if (config !== undefined) enqueueGroup(rolloutOf(cluster, config.namespace, config.kind, config.name));
    };
    const onWorkload = ({ before, after }: Change<Workload>) => {
      const workload = after ?? before;
      if (workload !== undefined) enqueueGroup(rolloutManaging(cluster, workload));
    };
    return [
      cluster.rollouts.subscribe(({ before, after }) => {
        enqueueGroup(after);
        // Those that were tied to it only through what has changed are a group of their own now.
        if (before === undefined || (after && hasSameWorkloads(before, after))) return;
        for (const other of configGroup(cluster, before)) enqueueGroup(other);
      }),
      ...Object.values(cluster.configs).flatMap((each) => each?.subscribe(onVersion) ?? []),
      ...Object.values(cluster.originals).flatMap((each) => each?.subscribe(onOriginal) ?? []),
      ...Object.values(cluster.workloads).map((each) => each.subscribe(onWorkload)),
      cluster.pods.subscribe(({ before, after }) => {
        const pod = after ?? before;
        for (const { kind, name } of pod?.references ?? []) enqueueConfig(pod?.namespace ?? '', kind, name);
      }),
      // Pods of a Deployment are found through its ReplicaSets, which may be seen later than they are.
      cluster.revisions.ReplicaSet.subscribe(({ before, after }) => {
        if (after === undefined || before?.ownerUid === after.ownerUid) return;
        for (const { kind, name } of after.references) enqueueConfig(after.namespace, kind, name);
      }),
    ];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { clock, cluster } = this.#context;
    const first = cluster.rollouts.cache.get(key);
    // Gone, or tied to another group by now, which has its own key.
    if (first === undefined || groupKey(cluster, first) !== key) {
      this.#memory.delete(key);
      return undefined;
    }
    const { namespace = '' } = first.metadata;
    const group = configGroup(cluster, first);
    if (group.some((rollout) => this.#writes.areAheadOf(rollout))) return { requeueAfterMs: staleMs };
    const observed = observeGroup(this.#context, namespace, group);
    if (!(await marksAreSeen(this.#context, observed.rollouts, signal))) return { requeueAfterMs: staleMs };
    if (await this.#clearTakenOver(observed.rollouts, signal)) return { requeueAfterMs: 0 };
    for (const each of observed.rollouts)
      each.state.preflight = await preflight(this.#context, observed, each, signal);
    const plan = planGroup(
      observed.rollouts.map(({ state }) => state),
      observed.workloads.map(({ state }) => state),
      this.#memory.get(key) ?? new Map(),
      clock.monotonic(),
      this.#begun.of(key),
    );
    this.#memory.set(key, plan.memory);
    const results = await allSettled([
      ...plan.activations.map((activation) => this.#carryOut(namespace, observed, activation, signal)),
      this.#repair(namespace, observed, plan, signal),
    ]);
    const alone = observed.rollouts.filter(
      ({ state }) => !plan.activations.some(({ activation }) => isMember(activation.members, state.config)),
    );
    for (const rollout of alone) {
      await markOutcome(this.#context, rollout, undefined, { signal, lowPriority: true });
      await this.#write(observed, rollout, undefined, undefined, { signal, lowPriority: true });
    }
    if (results.includes('stale')) return { requeueAfterMs: staleMs };
    const settling = observed.rollouts.map(({ settledInMs }) => settledInMs).filter((ms) => ms > 0);
    const wakes = [...settling, ...(plan.requeueAfterMs === undefined ? [] : [plan.requeueAfterMs])];
    if (results.includes('denied')) wakes.push(deniedMs);
    return wakes.length === 0 ? undefined : { requeueAfterMs: Math.min(...wakes) };
  }

  async #carryOut(
    namespace: string,
    observed: ObservedGroup,
    planned: PlannedActivation,
    signal: AbortSignal,
  ): Promise<ActivationResult> {
    const members = observed.rollouts.filter(({ state }) =>
      isMember(planned.activation.members, state.config),
    );
    // The version of the live content is safe from being pruned; one that a person named must be marked first.
    const markFirst = !members.every(
      ({ state }) => state.intent.want === 'version' && state.intent.because === 'edit',
    );
    // The way back begins with what is written here; everything else is news of what was done.
    const isUrgent = planned.plan.outcome.result === 'failed' || planned.activation.phase === 'rolling-back';
    const how = { signal, lowPriority: !isUrgent };
    const marking = allSettled(
      members.map((member) =>
        markOutcome(this.#context, member, planned, { signal, lowPriority: !markFirst && !isUrgent }),
      ),
    );
    if (markFirst) await marking;
    const { commands } = planned.plan;
    const applying = allSettled(
      commands.map((command) => applyCommand(this.#context, namespace, command, observed.configOf, signal)),
    );
    await allSettled<unknown>([applying, marking]);
    const applied = await applying;
    // The status comes last: it must not tell of a move that was not made.
    if (applied.some(({ result }) => result === 'stale')) return 'stale';
    const denied = applied.flatMap((each) => (each.result === 'denied' ? each.message : []));
    const problem = denied.length === 0 ? undefined : denied.join('; ');
    for (const rollout of members) await this.#write(observed, rollout, planned, problem, how);
    return denied.length === 0 ? 'done' : 'denied';
  }

  async #write(
    observed: ObservedGroup,
    rollout: ObservedRollout,
    planned: PlannedActivation | undefined,
    denied: string | undefined,
    how: CallOptions,
  ): Promise<void> {
    const written = await writeOutcome(this.#context, observed, rollout, planned, denied, how);
    if (written !== undefined) this.#writes.note(written);
  }

  async #repair(
    namespace: string,
    observed: ObservedGroup,
    { repairs }: GroupPlan,
    signal: AbortSignal,
  ): Promise<ActivationResult> {
    const applied = await allSettled(
      repairs.map((command) => applyCommand(this.#context, namespace, command, observed.configOf, signal)),
    );
    for (const each of applied) {
      if (each.result === 'denied')
        this.#context.log.warn({ namespace, problem: each.message }, 'workload could not be assigned');
    }
    if (applied.some(({ result }) => result === 'stale')) return 'stale';
    return applied.some(({ result }) => result === 'denied') ? 'denied' : 'done';
  }

  /** An edit in Auto takes over from `spec.version`: cleared first, so that no later look can take it up again. */
  async #clearTakenOver(rollouts: readonly ObservedRollout[], signal: AbortSignal): Promise<boolean> {
    const taken = rollouts.filter(
      ({ state }) => state.intent.want === 'version' && state.intent.clearSpecVersion && !state.coalescing,
    );
    for (const { rollout } of taken) await clearSpecVersion(this.#context, rollout, signal);
    return taken.length > 0;
  }
}

function isMember(members: readonly { config: string }[], config: string): boolean {
  return members.some((member) => member.config === config);
}
