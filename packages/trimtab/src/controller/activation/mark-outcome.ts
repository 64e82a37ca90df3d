import type { CallOptions } from '@trimtab/kube/client.ts';
import type { PlannedActivation } from '../../core/activation/plan-group.ts';
import { parseRejection, type RejectedSet, type Rejection } from '../../core/activation/rejection.ts';
import type { Member } from '../../core/activation/types.ts';
import { problemText } from '../../core/status/workload-lines.ts';
import { workloadText } from '../../core/workload/workload-key.ts';
import type { ControllerContext } from '../context.ts';
import { type Marks, markVersions } from './mark-versions.ts';
import type { ObservedRollout } from './observe.ts';

/**
 * Marks the versions of a config with their states before any workload is changed. A version that is in use is not
 * deleted during its activation, and a version marked `rejected` is not tried again after a crash.
 */
export async function markOutcome(
  context: ControllerContext,
  rollout: ObservedRollout,
  planned: OwnActivation | undefined,
  how: CallOptions,
): Promise<void> {
  const marks = marksOf(rollout, planned);
  // The current version is found by its label, so labels are left alone while it is unknown.
  if (marks.current !== undefined) await markVersions(context, rollout.versions, marks, how);
}

type Marked = Pick<ObservedRollout, 'state' | 'versions'>;

/** An activation, and the rollouts of all its members. */
interface OwnActivation {
  planned: PlannedActivation;
  members: readonly Marked[];
}

export function marksOf({ state }: Pick<Marked, 'state'>, own: OwnActivation | undefined): Marks {
  const outcome = own?.planned.plan.outcome;
  const activation = own?.planned.activation;
  const member = activation?.members.find(({ config }) => config === state.config);
  const target = member?.target.object;
  const rejection = own && (newRejection(own) ?? recordedRejection(own, member));
  const isTarget = rejection !== undefined || (activation?.phase === 'moving' && outcome?.result !== 'done');
  return {
    current: outcome?.result === 'done' ? target : state.current?.object,
    target: isTarget ? target : undefined,
    rejection,
    ...(isTarget && rejection === undefined && { begins: state.running?.activation !== activation?.id }),
  };
}

/** A controller that was killed may have marked only some of the versions that failed together. */
function recordedRejection(
  { planned, members }: OwnActivation,
  member: Member | undefined,
): Marks['rejection'] {
  const { id, phase } = planned.activation;
  if (phase !== 'rolling-back' || member === undefined) return undefined;
  const { config, target } = member;
  const recorded = members
    .flatMap(({ versions }) => versions.map(({ rejected }) => parseRejection(rejected)))
    .find((each) => each?.activation === id && each.sets.at(-1)?.get(config) === target.name);
  const set = recorded?.sets.at(-1);
  if (recorded === undefined || set === undefined) return undefined;
  const { reason, aborted, cause } = recorded;
  return {
    ...{ reason, activation: id, set },
    ...(aborted && { aborted }),
    ...(cause !== undefined && { cause }),
  };
}

function newRejection(own: OwnActivation): Marks['rejection'] {
  const why = rejectionOf(own.planned);
  return why && { ...why, set: triedSet(own) };
}

function rejectionOf({
  activation,
  plan: { outcome },
}: PlannedActivation): Omit<Rejection, 'sets'> | undefined {
  if (outcome.result === 'failed')
    return {
      reason: `${workloadText(outcome.workload)}: ${problemText(outcome.problem)}`,
      activation: activation.id,
      cause: outcome.problem.reason,
    };
  if (outcome.result === 'aborting')
    return { reason: outcome.reason, aborted: true, activation: activation.id };
  if (outcome.result !== 'aborted') return undefined;
  const { workload } = outcome;
  const reason =
    workload === undefined
      ? 'all workloads were deleted or opted out'
      : `another client set ${workloadText(workload)} to other versions`;
  return { reason, aborted: true };
}

/** The versions that were tried together. A member that went back to its current version was not tried. */
function triedSet({ planned, members }: OwnActivation): RejectedSet {
  const current = new Set(members.map(({ state }) => state.current?.object));
  const tried = planned.activation.members.filter(({ target }) => !current.has(target.object));
  return new Map(tried.map(({ config, target }) => [config, target.name]));
}
