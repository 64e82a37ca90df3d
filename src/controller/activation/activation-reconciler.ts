import type { ConfigRollout } from '../../api/config-rollout.ts';
import { labels } from '../../api/names.ts';
import { type NamespaceMemory, type NamespacePlan, planNamespace } from '../../core/activation/namespace.ts';
import type { Outcome } from '../../kube/queue/outcome.ts';
import type { ControllerContext } from '../context.ts';
import { replaceTested } from '../guarded-patch.ts';
import { rolloutsIn } from '../picture/lookup.ts';
import { configRollouts } from '../picture/picture.ts';
import type { Reconciler } from '../reconciler.ts';
import { applyCommand } from './apply.ts';
import { BegunActivations } from './begun-activations.ts';
import { type ObservedNamespace, type ObservedRollout, observeNamespace } from './observe.ts';
import { preflight } from './preflight.ts';
import { markOutcome, writeOutcome } from './write-outcome.ts';

type PlannedActivation = NamespacePlan['activations'][number];

/** Makes versions current, over all workloads that use them. Keys are namespaces: configs share workloads. */
export class ActivationReconciler implements Reconciler {
  readonly name = 'activation';
  readonly #context: ControllerContext;
  readonly #memory = new Map<string, NamespaceMemory>();
  readonly #begun = new BegunActivations();

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  listen(enqueue: (key: string) => void): void {
    const { picture } = this.#context;
    const managed = (namespace: string) => {
      if (rolloutsIn(picture, namespace).length > 0) enqueue(namespace);
    };
    picture.rollouts.subscribe(({ before, after }) => enqueue((after ?? before)?.metadata.namespace ?? ''));
    for (const heads of Object.values(picture.heads)) {
      heads?.subscribe(({ before, after }) => {
        const head = after ?? before;
        if (head?.labels[labels.versionOf] !== undefined) enqueue(head.namespace);
      });
    }
    for (const originals of Object.values(picture.originals)) {
      originals?.subscribe(({ before, after }) => enqueue((after ?? before)?.namespace ?? ''));
    }
    for (const workloads of Object.values(picture.workloads)) {
      workloads.subscribe(({ before, after }) => managed((after ?? before)?.namespace ?? ''));
    }
    picture.pods.subscribe(({ before, after }) => managed((after ?? before)?.namespace ?? ''));
  }

  async reconcile(namespace: string, signal: AbortSignal): Promise<Outcome | undefined> {
    const { clock } = this.#context;
    const observed = observeNamespace(this.#context, namespace);
    if (observed.rollouts.length === 0) {
      this.#memory.delete(namespace);
      return undefined;
    }
    if (await this.#clearTakenOver(observed.rollouts, signal)) return { requeueAfterMs: 0 };
    for (const each of observed.rollouts)
      each.state.preflight = await preflight(this.#context, observed, each, signal);
    const plan = planNamespace(
      observed.rollouts.map(({ state }) => state),
      observed.workloads.map(({ state }) => state),
      this.#memory.get(namespace) ?? new Map(),
      clock.monotonic(),
      this.#begun.of(namespace),
    );
    this.#memory.set(namespace, plan.memory);
    const results = await Promise.all([
      ...plan.activations.map((activation) => this.#carryOut(namespace, observed, activation, signal)),
      this.#repair(namespace, observed, plan, signal),
    ]);
    const alone = observed.rollouts.filter(
      ({ state }) => !plan.activations.some(({ activation }) => isMember(activation.members, state.config)),
    );
    for (const rollout of alone) {
      await markOutcome(this.#context, rollout, undefined, signal);
      await writeOutcome(this.#context, observed, rollout, undefined, undefined, signal);
    }
    if (results.includes('stale')) return { requeueAfterMs: 50 };
    return plan.wakeAfterMs === undefined ? undefined : { requeueAfterMs: plan.wakeAfterMs };
  }

  async #carryOut(
    namespace: string,
    observed: ObservedNamespace,
    planned: PlannedActivation,
    signal: AbortSignal,
  ): Promise<'done' | 'stale'> {
    const members = observed.rollouts.filter(({ state }) =>
      isMember(planned.activation.members, state.config),
    );
    await Promise.all(members.map((member) => markOutcome(this.#context, member, planned, signal)));
    const { commands } = planned.plan;
    const applied = await Promise.all(
      commands.map((command) => applyCommand(this.#context, namespace, command, observed.configOf, signal)),
    );
    const denied = applied.flatMap((each) => (each.result === 'denied' ? each.message : []));
    for (const rollout of members) {
      await writeOutcome(
        this.#context,
        observed,
        rollout,
        planned,
        denied.length === 0 ? undefined : denied.join('; '),
        signal,
      );
    }
    return applied.some(({ result }) => result !== 'done') ? 'stale' : 'done';
  }

  async #repair(
    namespace: string,
    observed: ObservedNamespace,
    { repairs }: NamespacePlan,
    signal: AbortSignal,
  ): Promise<'done' | 'stale'> {
    const applied = await Promise.all(
      repairs.map((command) => applyCommand(this.#context, namespace, command, observed.configOf, signal)),
    );
    for (const each of applied) {
      if (each.result === 'denied')
        this.#context.log.warn({ namespace, problem: each.message }, 'workload could not be assigned');
    }
    return applied.some(({ result }) => result === 'stale') ? 'stale' : 'done';
  }

  /** An edit in Auto takes over from `spec.version`: cleared first, so that no later look can take it up again. */
  async #clearTakenOver(rollouts: readonly ObservedRollout[], signal: AbortSignal): Promise<boolean> {
    const taken = rollouts.filter(
      ({ state }) => state.intent.want === 'version' && state.intent.clearSpecVersion && !state.settling,
    );
    for (const { rollout } of taken) await clearSpecVersion(this.#context, rollout, signal);
    return taken.length > 0;
  }
}

async function clearSpecVersion(
  { client }: ControllerContext,
  { metadata, spec }: ConfigRollout,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = '', name = '' } = metadata;
  const change = { from: spec.version ?? '', to: undefined };
  await replaceTested(client, configRollouts, { namespace, name }, '/spec/version', change, signal);
}

function isMember(members: readonly { config: string }[], config: string): boolean {
  return members.some((member) => member.config === config);
}
