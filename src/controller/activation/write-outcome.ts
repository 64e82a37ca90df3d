import { isDeepStrictEqual } from 'node:util';
import type { ConfigRollout, ConfigRolloutStatus } from '../../api/config-rollout.ts';
import type { NamespacePlan } from '../../core/activation/namespace.ts';
import type { RejectedSet } from '../../core/activation/rejection.ts';
import { wantedVersion } from '../../core/activation/rollout-state.ts';
import { rolloutStatus } from '../../core/status/rollout-status.ts';
import { troubleText } from '../../core/status/workload-lines.ts';
import { type ControllerContext, fieldManager } from '../context.ts';
import { managedWorkloads } from '../picture/managed-workloads.ts';
import { configRollouts } from '../picture/picture.ts';
import { originalOf, planVersionOf, subject } from '../version/version-reconciler.ts';
import { optInLost } from '../workload/opt-in-lost.ts';
import { markVersions } from './mark-versions.ts';
import type { ObservedNamespace, ObservedRollout } from './observe.ts';

type PlannedActivation = NamespacePlan['activations'][number];

/**
 * Marks the versions of a config: facts, and so written before anything is moved. What is marked as being made
 * current is not deleted under our hands; what is marked as rejected is not tried again after a crash.
 */
export async function markOutcome(
  context: ControllerContext,
  { state, versions }: ObservedRollout,
  planned: PlannedActivation | undefined,
  signal: AbortSignal,
): Promise<void> {
  const outcome = planned?.plan.outcome;
  const target = planned?.activation.members.find(({ config }) => config === state.config)?.target.object;
  const failed = outcome?.result === 'failed';
  const isTarget = failed || (planned?.activation.phase === 'moving' && outcome?.result !== 'done');
  const rejection = failed
    ? { set: failedSet(planned), reason: `${outcome.workload}: ${troubleText(outcome.trouble)}` }
    : undefined;
  const current = outcome?.result === 'done' ? target : state.current?.object;
  await markVersions(
    context,
    versions,
    { current, target: isTarget ? target : undefined, rejection },
    signal,
  );
}

/** Writes down how a config stands, last of all. */
export async function writeOutcome(
  context: ControllerContext,
  observed: ObservedNamespace,
  observedRollout: ObservedRollout,
  planned: PlannedActivation | undefined,
  denied: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { rollout, state, versions, liveHash } = observedRollout;
  const original = originalOf(context, rollout);
  const versionPlan = original === undefined ? undefined : planVersionOf(rollout, original, versions);
  const wanted = wantedVersion(state);
  const { namespace = '' } = rollout.metadata;
  const status = rolloutStatus({
    before: rollout.status,
    generation: rollout.metadata.generation ?? 0,
    state,
    liveHash,
    specVersion: rollout.spec.version,
    activation: planned && { ...planned, by: undefined },
    workloads: observed.workloads
      .map((each) => each.state)
      .filter(({ references }) => references.has(state.config)),
    versionProblem: versionPlan?.make === 'nothing' ? versionPlan.problem : undefined,
    rejected: versions.find(({ object }) => object === wanted?.object)?.rejected,
    optInLost: optInLost(context, namespace, rollout.spec.config, managedWorkloads(rollout)),
    denied,
    now: new Date(context.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
  });
  await writeStatus(context, rollout, status, signal);
}

function failedSet(planned: PlannedActivation | undefined): RejectedSet {
  return new Map(
    (planned?.activation.members ?? []).map(({ config, target }) => [config, target.contentHash]),
  );
}

async function writeStatus(
  context: ControllerContext,
  rollout: ConfigRollout,
  status: ConfigRolloutStatus,
  signal: AbortSignal,
): Promise<void> {
  const plain: ConfigRolloutStatus = JSON.parse(JSON.stringify(status));
  if (isDeepStrictEqual(plain, rollout.status)) return;
  await context.client.update(
    configRollouts,
    { ...rollout, status: plain },
    { subresource: 'status', fieldManager, signal },
  );
  announce(context, rollout, plain);
}

/** News for people, once for each change of phase. */
function announce({ tell }: ControllerContext, rollout: ConfigRollout, after: ConfigRolloutStatus): void {
  const before = rollout.status;
  const degraded = after.conditions?.find(({ type }) => type === 'Degraded');
  const wasDegraded = before?.conditions?.find(({ type }) => type === 'Degraded');
  if (degraded?.status === 'True' && degraded.message !== wasDegraded?.message) {
    tell(subject(rollout), 'Warning', degraded.reason, degraded.message);
  }
  if (after.target !== undefined && after.target.activation !== before?.target?.activation) {
    tell(
      subject(rollout),
      'Normal',
      'ActivationStarted',
      `version ${after.target.version} is being made current`,
    );
  }
  if (after.current?.object !== before?.current?.object && after.current !== undefined) {
    tell(subject(rollout), 'Normal', 'VersionCurrent', `version ${after.current.version} is current`);
  }
  if (after.phase === 'Failed' && before?.phase === 'RollingBack') {
    tell(subject(rollout), 'Warning', 'RolledBack', `version ${before.target?.version} was rolled back`);
  }
}
