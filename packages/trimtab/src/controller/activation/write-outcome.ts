import { isDeepStrictEqual } from 'node:util';
import type { CallOptions } from '@trimtab/kube/client.ts';
import type { ConfigRollout, ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import type { GroupPlan } from '../../core/activation/plan-group.ts';
import type { RejectedSet } from '../../core/activation/rejection.ts';
import { wantedVersion } from '../../core/activation/rollout-state.ts';
import type { WorkloadKey } from '../../core/activation/types.ts';
import { assignmentHash, readTemplate } from '../../core/references/assignment.ts';
import { finishedActivation } from '../../core/status/finished-activation.ts';
import { rejectedPins } from '../../core/status/rejected-pins.ts';
import { rolloutStatus, type StatusInput } from '../../core/status/rollout-status.ts';
import { troubleText } from '../../core/status/workload-lines.ts';
import { requester } from '../../core/version/requester.ts';
import { managedWorkloads } from '../../core/workload/managed-workloads.ts';
import type { ControllerContext } from '../context.ts';
import { guardedPatch, type JsonOperation } from '../guarded-patch.ts';
import { headOf, revisionsOf } from '../picture/lookup.ts';
import { originalOf, planVersionOf, subject, wrongName } from '../version/version-reconciler.ts';
import { optInLost } from '../workload/opt-in-lost.ts';
import { workloadSubject } from '../workload/workload-subject.ts';
import { markVersions } from './mark-versions.ts';
import type { ObservedGroup, ObservedRollout } from './observe.ts';

type PlannedActivation = GroupPlan['activations'][number];

/**
 * Marks the versions of a config: facts, and so written before anything is moved. What is marked as being made
 * current is not deleted under our hands; what is marked as rejected is not tried again after a crash.
 */
export async function markOutcome(
  context: ControllerContext,
  { state, versions }: ObservedRollout,
  planned: PlannedActivation | undefined,
  how: CallOptions,
): Promise<void> {
  const outcome = planned?.plan.outcome;
  const target = planned?.activation.members.find(({ config }) => config === state.config)?.target.object;
  const failed = outcome?.result === 'failed';
  const isTarget = failed || (planned?.activation.phase === 'moving' && outcome?.result !== 'done');
  const rejection = failed
    ? { set: failedSet(planned), reason: `${outcome.workload}: ${troubleText(outcome.trouble)}` }
    : undefined;
  const current = outcome?.result === 'done' ? target : state.current?.object;
  // The labels are how a current version is found again: they stay until it is known.
  if (current === undefined) return;
  await markVersions(context, versions, { current, target: isTarget ? target : undefined, rejection }, how);
}

/** Writes down how a config stands, last of all; answers the rollout when there was something new to write. */
export async function writeOutcome(
  context: ControllerContext,
  observed: ObservedGroup,
  observedRollout: ObservedRollout,
  planned: PlannedActivation | undefined,
  denied: string | undefined,
  how: CallOptions,
): Promise<ConfigRollout | undefined> {
  const { rollout, state, versions, liveHash } = observedRollout;
  const wanted = wantedVersion(state);
  const { namespace = '' } = rollout.metadata;
  const workloads = observed.workloads.filter((each) => each.state.references.has(state.config));
  const pins = rejectedPins(
    state,
    workloads.map((each) => each.state),
    goodRevision(context.picture, observed),
  );
  const status = rolloutStatus({
    before: rollout.status,
    generation: rollout.metadata.generation ?? 0,
    state,
    liveHash,
    specVersion: rollout.spec.version,
    asked: rollout.metadata.annotations?.[annotations.asked],
    activation: planned && { ...planned, by: requesterOf(context, observedRollout) },
    workloads: workloads.map((each) => each.state),
    versionProblem: configProblem(context, observedRollout),
    rejected: versions.find(({ object }) => object === wanted?.object)?.rejected,
    optInLost: optInLost(context, namespace, rollout.spec.config, managedWorkloads(rollout)),
    rejectedPins: pins.map(({ message }) => message),
    denied,
    now: new Date(context.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
  });
  const written = await writeStatus(context, rollout, status, how);
  if (written === undefined) return undefined;
  const finished = finishedActivation(state.config, rollout.status, status);
  if (finished !== undefined) context.countActivation(finished);
  announce(context, rollout, status);
  const told = rollout.status?.conditions?.find(({ type }) => type === 'Degraded')?.message ?? '';
  for (const { workload: key, message } of pins) {
    const its = workloads.find((each) => each.state.key === key);
    if (its !== undefined && !told.includes(message))
      context.tell(workloadSubject(its.workload), 'Warning', 'PinnedToRejected', message);
  }
  return written;
}

function requesterOf(context: ControllerContext, { rollout, state }: ObservedRollout): string | undefined {
  const { namespace, name, annotations: its } = rollout.metadata;
  const watched = context.picture.rollouts.cache.get(`${namespace}/${name}`);
  return requester({
    intent: state.intent,
    release: rollout.spec.release,
    specVersion: rollout.spec.version,
    stamp: { by: its?.[annotations.requestedBy], version: its?.[annotations.requestedVersion] },
    managers: { version: watched?.versionManager, data: originalOf(context, rollout)?.editor },
  });
}

/** Why there is no live content, or why it can't become a version. */
function configProblem(
  context: ControllerContext,
  { rollout, versions }: ObservedRollout,
): StatusInput['versionProblem'] {
  const { kind, name } = rollout.spec.config;
  const { namespace = '' } = rollout.metadata;
  const misnamed = wrongName(rollout);
  if (misnamed !== undefined) return { reason: 'WrongName', message: misnamed };
  if (context.picture.heads[kind] === undefined)
    return { reason: 'SecretsNotManaged', message: 'the controller runs with --no-secrets' };
  const original = originalOf(context, rollout);
  if (original !== undefined) {
    const plan = planVersionOf(rollout, original, versions);
    return plan.make === 'nothing' ? plan.problem : undefined;
  }
  // One that was just made, or just deleted with versions that go on without it, is no problem.
  if (versions.length > 0 || headOf(context.picture, namespace, kind, name) !== undefined) return undefined;
  const message = `there is no ${kind} ${name}; create it, or delete this ConfigRollout`;
  return { reason: 'ConfigNotFound', message };
}

function failedSet(planned: PlannedActivation | undefined): RejectedSet {
  return new Map(
    (planned?.activation.members ?? []).map(({ config, target }) => [config, target.contentHash]),
  );
}

/** Where a person can go back to: the newest revision of the workload that names what is current, and nothing else of ours. */
function goodRevision(
  picture: ControllerContext['picture'],
  { workloads, configOf }: ObservedGroup,
): (workload: WorkloadKey) => number | undefined {
  return (key) => {
    const its = workloads.find(({ state }) => state.key === key);
    if (its === undefined) return undefined;
    const good = assignmentHash(its.state.current);
    const numbers = revisionsOf(picture, its.workload)
      .filter(({ references }) => assignmentHash(readTemplate(references, configOf).references) === good)
      .flatMap(({ number }) => number ?? []);
    return numbers.length === 0 ? undefined : Math.max(...numbers);
  };
}

/**
 * Undefined when there is nothing new to write. Guarded by the status that was read and not by the resourceVersion:
 * the ledger changes all the time, and says nothing about what is written here.
 */
async function writeStatus(
  { client }: ControllerContext,
  { metadata, status: before }: ConfigRollout,
  status: ConfigRolloutStatus,
  how: CallOptions,
): Promise<ConfigRollout | undefined> {
  const plain: ConfigRolloutStatus = JSON.parse(JSON.stringify(status));
  if (isDeepStrictEqual(plain, before)) return undefined;
  const { namespace = '', name = '', resourceVersion } = metadata;
  const guard: JsonOperation =
    before === undefined
      ? { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion }
      : { op: 'test', path: '/status', value: before };
  const operations: JsonOperation[] = [guard, { op: 'add', path: '/status', value: plain }];
  return guardedPatch<ConfigRollout>(client, configRollouts, { namespace, name }, operations, {
    subresource: 'status',
    ...how,
  });
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
