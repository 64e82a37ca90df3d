import type { ConfigRollout, ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { hasPodWithoutAgent } from '../../core/activation/move.ts';
import type { PlannedActivation } from '../../core/activation/plan-group.ts';
import { wantedVersion } from '../../core/activation/rollout-state.ts';
import { type ConfigKey, configKey } from '../../core/references/config-key.ts';
import { writtenName } from '../../core/references/references.ts';
import { type RejectedPin, rejectedPins } from '../../core/status/rejected-pins.ts';
import { rolloutStatus } from '../../core/status/rollout-status.ts';
import type { StatusInput } from '../../core/status/status-input.ts';
import { requester } from '../../core/version/requester.ts';
import { managedWorkloads } from '../../core/workload/managed-workloads.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import { workloadText } from '../../core/workload/workload-key.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import { configMetadataOf, originalOf, podsOf, revisionWith } from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';
import { planFollowOf } from '../locked/plan-follow-of.ts';
import { planVersionOf } from '../version/plan-version-of.ts';
import { wrongName } from '../version/wrong-name.ts';
import { optInLost, optOutWaits, reloadUnavailable } from '../workload/adoption-of.ts';
import { whyNoAdmission } from '../workload/reference-way-of.ts';
import { coAppliedReferences } from './co-applied-references.ts';
import { invalidVersions } from './invalid-versions.ts';
import type { ObservedGroup, ObservedRollout } from './observe.ts';

interface OutcomeStatus {
  status: ConfigRolloutStatus;
  /** The status contains the pins as one message; in addition, an Event is recorded on each pinned workload. */
  pins: RejectedPin[];
}

/** Returns the status of a rollout after its plan was applied. */
export function outcomeStatus(
  context: ControllerContext,
  observed: ObservedGroup,
  observedRollout: ObservedRollout,
  planned: PlannedActivation | undefined,
  denied: string | undefined,
): OutcomeStatus {
  const { rollout, state, versions, live, keyWarnings } = observedRollout;
  const wanted = wantedVersion(state);
  const { namespace = '' } = rollout.metadata;
  const its = observed.workloads.filter((each) => each.state.references.has(state.config));
  const workloads = its.map((each) => each.state);
  const pins = rejectedPins(state, workloads, (key) => {
    const found = its.find((each) => each.state.key === key);
    return found && revisionWith(context.cluster, found.workload, found.configOf, found.state.current);
  });
  const status = rolloutStatus({
    before: rollout.status,
    generation: rollout.metadata.generation ?? 0,
    state,
    live,
    specVersion: rollout.spec.version,
    requestId: rollout.metadata.annotations?.[annotations.requestId],
    retry: rollout.metadata.annotations?.[annotations.retry],
    activation: planned && { ...planned, by: requesterOf(context, observedRollout) },
    workloads,
    versionProblem: configProblem(context, observedRollout),
    isBehind: isBehind(observedRollout),
    followProblem: followProblem(context, rollout),
    rejected: versions.find(({ object }) => object === wanted?.object)?.rejected,
    optInLost: optInLost(context, namespace, rollout.spec.config, managedWorkloads(rollout)),
    optOutWaits: optOutWaits(context, namespace, managedWorkloads(rollout)),
    unmanaged: observed.workloads.flatMap((each) =>
      each.unmanaged
        .filter(({ config }) => its.includes(each) || config === state.config)
        .map(
          ({ config, reason }) =>
            `${each.workload.kind} ${each.workload.name} references ${config}: ${reason}`,
        ),
    ),
    keyWarnings,
    invalidPins: workloads.flatMap(({ key, pin }) =>
      (pin?.problems ?? []).map((problem) => `${workloadText(key)}: ${problem}`),
    ),
    coApplied: its.flatMap((each) => coAppliedReferences(context.referenceWays, each, state.config)),
    environment: its.flatMap((each) => containersWithEnv(each, state.config)),
    reloadUnavailable: [
      ...reloadUnavailable(context, namespace, managedWorkloads(rollout)),
      ...workloads.filter(hasPodWithoutAgent).map(({ key }) => key),
    ],
    admissionUnavailable: its.flatMap(({ workload, state: each }) => {
      const why = each.isReloaded ? undefined : whyNoAdmission(context.referenceWays, workload);
      return why === undefined ? [] : [{ workload: each.key, why, isMiswritten: each.isMiswritten === true }];
    }),
    notRewritten: its.flatMap(({ workload }) => notRewrittenPods(context.cluster, workload, state.config)),
    invalidVersions: its.flatMap(({ workload }) => invalidVersions(context.cluster, workload, state.config)),
    rejectedPins: pins.map(({ message }) => message),
    denied,
    now: new Date(context.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
  });
  return { status, pins };
}

/** The containers of a reloaded workload that read the config as environment variables. */
function containersWithEnv(
  { workload, state, configOf }: ObservedGroup['workloads'][number],
  config: ConfigKey,
): string[] {
  if (!state.isReloaded) return [];
  const containers = workload.references.flatMap((reference) => {
    const { kind, container } = reference;
    const original = configOf(kind, writtenName(reference));
    return original !== undefined && configKey(kind, original) === config ? (container ?? []) : [];
  });
  return [...new Set(containers)].map((name) => `${workload.kind} ${workload.name}, container ${name}`);
}

/** The pods that run the live config although a version of it is assigned to them: nothing has written it into them. */
function notRewrittenPods(cluster: ClusterCache, workload: Workload, config: ConfigKey): string[] {
  return podsOf(cluster, workload)
    .filter(({ terminating, notRewritten }) => !terminating && notRewritten?.includes(config))
    .map(({ name }) => name);
}

function requesterOf(
  { cluster }: ControllerContext,
  { rollout, state }: ObservedRollout,
): string | undefined {
  const { namespace, name, annotations: its } = rollout.metadata;
  const watched = cluster.rollouts.cache.get(`${namespace}/${name}`);
  return requester({
    intent: state.intent,
    release: rollout.spec.release,
    specVersion: rollout.spec.version,
    stamp: { by: its?.[annotations.requestedBy], version: its?.[annotations.requestedVersion] },
    managers: { version: watched?.versionManager, data: originalOf(cluster, rollout)?.editor },
  });
}

function isBehind({ rollout, state, versions, live }: ObservedRollout): boolean {
  const current = versions.find(({ object }) => object === state.current?.object);
  if (rollout.spec.release !== 'Locked' || current === undefined || live === undefined) return false;
  return live.hash !== current.contentHash;
}

/** Returns why a Locked config does not hold its current version. */
function followProblem(context: ControllerContext, rollout: ConfigRollout): StatusInput['followProblem'] {
  const plan = planFollowOf(context, rollout);
  return plan.follow === 'nothing' ? undefined : plan.problem;
}

/** Returns why there is no live content, or why the live content cannot become a version. */
function configProblem(
  { cluster, denials }: ControllerContext,
  { rollout, versions }: ObservedRollout,
): StatusInput['versionProblem'] {
  const { kind, name } = rollout.spec.config;
  const { namespace = '' } = rollout.metadata;
  const misnamed = wrongName(rollout);
  if (misnamed !== undefined) return { reason: 'WrongName', message: misnamed };
  if (cluster.configs[kind] === undefined)
    return {
      reason: 'SecretsNotManaged',
      message: 'The controller runs with --no-secrets and does not manage Secrets',
    };
  const denial = denials.of(`${namespace}/${rollout.metadata.name}`);
  if (denial !== undefined)
    return {
      reason: 'VersionRefused',
      message: `The content of ${kind} ${name} cannot become a version: ${denial}`,
    };
  const original = originalOf(cluster, rollout);
  if (original !== undefined) {
    const plan = planVersionOf(cluster, rollout, original, versions);
    return plan.make === 'nothing' ? plan.problem : undefined;
  }
  // A config that was just created and is not labelled yet is not a problem, nor is a deleted one that has versions.
  if (versions.length > 0 || configMetadataOf(cluster, namespace, kind, name) !== undefined) return undefined;
  const message = `${kind} ${name} does not exist; create it, or delete this ConfigRollout`;
  return { reason: 'ConfigNotFound', message };
}
