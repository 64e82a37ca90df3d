import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import type { Change } from '@trimtab/kube/watch/store.ts';
import {
  type GroupMemory,
  type GroupPlan,
  type PlannedActivation,
  planGroup,
} from '../../core/activation/plan-group.ts';
import { wantedCandidate } from '../../core/activation/rollout-state.ts';
import type { Command } from '../../core/activation/types.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import type { WorkloadKey } from '../../core/workload/workload-key.ts';
import { configGroup, groupKey } from '../cache/config-group.ts';
import { lacksVersions } from '../cache/unknown-versions.ts';
import type { ControllerContext } from '../context.ts';
import type { Enqueue, Reconciler, Unsubscribe } from '../reconciler.ts';
import { rereadMs } from '../service-accounts/mountable-secrets.ts';
import { secretUsers } from '../service-accounts/secret-users.ts';
import { awaitsLabel } from '../version/label-original.ts';
import { isWayCertain, referenceWayOf } from '../workload/reference-way-of.ts';
import { workloadSubject } from '../workload/workload-subject.ts';
import { ActivationIds } from './activation-ids.ts';
import { allSettled } from './all-settled.ts';
import { applyCommand, type CommandResult } from './apply.ts';
import { clearSpecVersion } from './clear-spec-version.ts';
import { onGroupChange } from './group-changes.ts';
import { lacksJoinedEdit } from './joined-edit.ts';
import { logOpenedWaves } from './log-progress.ts';
import { markOutcome } from './mark-outcome.ts';
import { isHeld } from './mark-versions.ts';
import { type ObservedGroup, type ObservedRollout, observeGroup } from './observe.ts';
import { preflight } from './preflight.ts';
import { RewrittenTemplates } from './rewritten-templates.ts';
import { StatusPace } from './status-pace.ts';
import { cachedMarksAreCurrent } from './verify-cached-marks.ts';
import { writeOutcome } from './write-outcome.ts';

/** No event announces a changed policy or RBAC rule, so a denied write is retried at this interval. */
const deniedMs = 2_000;

interface ActivationResult {
  result: 'done' | 'stale' | 'denied';
  /** Time until a status that reports only progress may be written; 0 when all is written. */
  statusWaitMs: number;
}

/**
 * Makes versions current by rolling them out to all workloads that use them. A key is the first rollout of a group of
 * configs that share workloads, and stands for the whole group.
 */
export class ActivationReconciler implements Reconciler {
  readonly name = 'activation';
  /** High, because most reconciliations wait for low-priority status writes, which must not delay other rollouts. */
  readonly concurrency = 1_000;
  readonly #context: ControllerContext;
  readonly #memory = new Map<string, GroupMemory>();
  readonly #begun = new ActivationIds();
  readonly #pace = new StatusPace();
  readonly #rewritten = new RewrittenTemplates();

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  listen(enqueue: Enqueue): Unsubscribe[] {
    const { cluster, denials, followDenials, podAdmission } = this.#context;
    const onDenial = (key: string) => {
      const { cache } = cluster.rollouts;
      const denied = cache.get(key);
      const [namespace] = key.split('/');
      // A config whose ConfigRollout is denied keeps the other configs of its workloads waiting no longer.
      const affected =
        denied === undefined
          ? [...cache.entries()]
              .map(([, each]) => each)
              .filter((each) => each.metadata.namespace === namespace)
          : [denied];
      for (const rollout of affected) enqueue(groupKey(cluster, rollout));
    };
    const onPodAdmission = (namespace: string) => {
      for (const [, rollout] of cluster.rollouts.cache.entries())
        if (rollout.metadata.namespace === namespace) enqueue(groupKey(cluster, rollout));
    };
    const onWorkload = ({ before, after }: Change<Workload>) => {
      if (before !== undefined && after === undefined) this.#rewritten.forget(before);
    };
    return [
      ...onGroupChange(cluster, enqueue),
      ...Object.values(cluster.workloads).map((each) => each.subscribe(onWorkload)),
      ...(podAdmission ? [podAdmission.subscribe(onPodAdmission)] : []),
      denials.subscribe(onDenial),
      followDenials.subscribe((key) => {
        const rollout = cluster.rollouts.cache.get(key);
        if (rollout !== undefined) enqueue(groupKey(cluster, rollout));
      }),
    ];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { clock, cluster, mountableSecrets } = this.#context;
    const first = cluster.rollouts.cache.get(key);
    // The rollout is gone, or its group has another key now.
    if (first === undefined || groupKey(cluster, first) !== key) {
      this.#memory.delete(key);
      return undefined;
    }
    const { namespace = '' } = first.metadata;
    const group = configGroup(cluster, first);
    await mountableSecrets.learn(secretUsers(cluster, group), signal);
    const observed = observeGroup(this.#context, namespace, group);
    // `podAdmission` enqueues the group when it is certain.
    if (!observed.workloads.every((each) => this.#isWayCertain(each))) return undefined;
    const using = observed.workloads.map(({ workload }) => workload);
    if (await lacksVersions(this.#context, using, signal)) return { staleCache: true };
    for (const each of observed.workloads) this.#keepTemplate(each);
    const awaitLabel = () => observed.rollouts.filter(({ rollout }) => awaitsLabel(this.#context, rollout));
    // The label may be restored while this reconciliation waits for responses. Its plan does not know the content then.
    const unlabelled = awaitLabel();
    if (!(await cachedMarksAreCurrent(this.#context, observed.rollouts, signal))) return { staleCache: true };
    if (await this.#clearTakenOver(observed.rollouts, signal)) return { requeueAfterMs: 0 };
    for (const each of observed.rollouts) {
      const { problem, warnings } = await preflight(this.#context, observed, each, signal);
      each.state.preflight = problem;
      each.keyWarnings = warnings;
    }
    const before = this.#memory.get(key) ?? new Map();
    const plan = planGroup(
      observed.rollouts.map(({ state }) => state),
      observed.workloads.map(({ state }) => state),
      before,
      clock.monotonic(),
      this.#begun.of(key),
    );
    this.#memory.set(key, plan.memory);
    const isNew = (id: string) => !group.some(({ status }) => status?.target?.activation === id);
    const repairing = this.#repair(namespace, observed, plan, signal);
    const results = await allSettled([
      ...plan.activations.map((activation) => this.#carryOut(namespace, observed, activation, signal)),
      repairing.then(({ result }) => ({ result, statusWaitMs: 0 })),
    ]).finally(() => logOpenedWaves(this.#context, namespace, before, plan.activations, isNew));
    const { denied } = await repairing;
    const alone = observed.rollouts.filter(
      ({ state }) => !plan.activations.some(({ activation }) => isMember(activation.members, state.config)),
    );
    const statusWaits = results.map(({ statusWaitMs }) => statusWaitMs);
    for (const rollout of alone) {
      // What its config holds is unknown for a moment; the status stays until it is known again.
      const isUnknown = unlabelled.includes(rollout) || awaitLabel().includes(rollout);
      if (rollout.rollout.status?.observed !== undefined && isUnknown) continue;
      const how = { signal, lowPriority: true };
      const problems = observed.workloads.flatMap(({ state }) =>
        state.references.has(rollout.state.config) ? (denied.get(state.key) ?? []) : [],
      );
      await markOutcome(this.#context, rollout, undefined, how);
      const denial = joined(problems);
      statusWaits.push(
        await writeOutcome(this.#context, observed, rollout, undefined, denial, this.#pace, how),
      );
    }
    if (results.some(({ result }) => result === 'stale')) return { staleCache: true };
    const settling = observed.rollouts.map(({ settledInMs }) => settledInMs).filter((ms) => ms > 0);
    const wakes = [...settling, ...(plan.requeueAfterMs === undefined ? [] : [plan.requeueAfterMs])];
    wakes.push(...statusWaits.filter((ms) => ms > 0));
    if (results.some(({ result }) => result === 'denied')) wakes.push(deniedMs);
    if (observed.workloads.some(({ workload }) => mountableSecrets.limits(workload))) wakes.push(rereadMs);
    return wakes.length === 0 ? undefined : { requeueAfterMs: Math.min(...wakes) };
  }

  #isWayCertain({ workload, state }: ObservedGroup['workloads'][number]): boolean {
    return state.isReloaded === true || isWayCertain(this.#context.referenceWays, workload);
  }

  /** A template that its owner has written again as it was is not written once more; see RewrittenTemplates. */
  #keepTemplate({ workload, state }: ObservedGroup['workloads'][number]): void {
    const way = referenceWayOf(this.#context.referenceWays, workload);
    if (!this.#rewritten.cameBack(workload, way) || !state.isMiswritten) return;
    delete state.isMiswritten;
    if (!this.#rewritten.isNew(workload)) return;
    const message =
      'The pod template names versions again after they were replaced with the configs; it stays as it is';
    this.#context.recordEvent(workloadSubject(workload), 'Warning', 'VersionsKeptInTemplate', message);
  }

  async #apply(
    namespace: string,
    command: Command,
    observed: ObservedGroup,
    signal: AbortSignal,
  ): Promise<CommandResult> {
    const applied = await applyCommand(this.#context, namespace, command, observed, signal);
    const found = observed.workloads.find(({ state }) => state.key === command.workload);
    const isWrite = ['assign', 'rewrite', 'revert'].includes(command.do);
    if (applied.result === 'done' && isWrite && found?.state.isMiswritten)
      this.#rewritten.rewritten(found.workload, referenceWayOf(this.#context.referenceWays, found.workload));
    return applied;
  }

  async #carryOut(
    namespace: string,
    observed: ObservedGroup,
    planned: PlannedActivation,
    signal: AbortSignal,
  ): Promise<ActivationResult> {
    const { commands } = planned.plan;
    const assigned = commands.filter((command) => command.do === 'assign');
    if (await this.#lacksJoinedEdit(observed, assigned, signal)) return { result: 'stale', statusWaitMs: 0 };
    const members = observed.rollouts.filter(({ state }) =>
      isMember(planned.activation.members, state.config),
    );
    // A version is in use and not being purged before a workload references it, or a user could delete it. A new version
    // is created so. An old one must be marked first; if it was rejected, it must not look rejected while a workload
    // runs it.
    const markFirst = !members.every(({ state, versions }) => {
      const wanted = wantedCandidate(state);
      const begins = state.running?.activation !== planned.activation.id;
      return (
        state.intent.want === 'version' &&
        wanted?.rejections.length === 0 &&
        versions.some((each) => each.object === wanted.object && isHeld(each, begins))
      );
    });
    // A rollback starts with these writes. All other outcome writes only report progress.
    const isUrgent =
      ['failed', 'aborting'].includes(planned.plan.outcome.result) ||
      planned.activation.phase === 'rolling-back';
    const how = { signal, lowPriority: !isUrgent };
    const marking = allSettled(
      members.map((member) =>
        markOutcome(
          this.#context,
          member,
          { planned, members },
          { signal, lowPriority: !markFirst && !isUrgent },
        ),
      ),
    );
    if (markFirst) await marking;
    const applying = allSettled(commands.map((command) => this.#apply(namespace, command, observed, signal)));
    await allSettled<unknown>([applying, marking]);
    const applied = await applying;
    // The status is written last, so it never reports a change that was not made.
    if (applied.some(({ result }) => result === 'stale')) return { result: 'stale', statusWaitMs: 0 };
    const denied = applied.flatMap((each) => (each.result === 'denied' ? each.message : []));
    let statusWaitMs = 0;
    for (const rollout of members) {
      const denial = joined(denied);
      const waitMs = await writeOutcome(this.#context, observed, rollout, planned, denial, this.#pace, how);
      statusWaitMs = Math.max(statusWaitMs, waitMs);
    }
    return { result: denied.length === 0 ? 'done' : 'denied', statusWaitMs };
  }

  /** Returns also why the repair of a workload was denied. */
  async #repair(
    namespace: string,
    observed: ObservedGroup,
    { repairs }: GroupPlan,
    signal: AbortSignal,
  ): Promise<{ result: ActivationResult['result']; denied: ReadonlyMap<WorkloadKey, string> }> {
    if (await this.#lacksJoinedEdit(observed, repairs, signal)) return { result: 'stale', denied: new Map() };
    const applied = await allSettled(
      repairs.map(async (command) => ({
        workload: command.workload,
        applied: await this.#apply(namespace, command, observed, signal),
      })),
    );
    const denied = new Map(
      applied.flatMap(({ workload, applied: { result, ...its } }) =>
        result === 'denied' && 'message' in its ? [[workload, its.message] as const] : [],
      ),
    );
    if (applied.some((each) => each.applied.result === 'stale')) return { result: 'stale', denied };
    return { result: denied.size > 0 ? 'denied' : 'done', denied };
  }

  /** Whether a command would take back a workload that joined an edit which the watch has not delivered yet. */
  async #lacksJoinedEdit(
    observed: ObservedGroup,
    commands: readonly Command[],
    signal: AbortSignal,
  ): Promise<boolean> {
    for (const { workload } of commands) {
      const found = observed.workloads.find(({ state }) => state.key === workload);
      if (found && (await lacksJoinedEdit(this.#context, observed, found.state, signal))) return true;
    }
    return false;
  }

  /**
   * In release mode Auto, an edit supersedes `spec.version`. The field is cleared first, so a later reconciliation
   * cannot activate it again.
   */
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

function joined(messages: readonly string[]): string | undefined {
  return messages.length === 0 ? undefined : messages.join('; ');
}
