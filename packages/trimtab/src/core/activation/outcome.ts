import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { isNewRequest, isRetry } from '../version/intent.ts';
import { requestOutcome } from './version-request.ts';

/** How a release ended, for callers that wait for it. */
export type Outcome =
  /** `text` says what it waits for. */
  | { state: 'in-progress'; text: string }
  | { state: 'current'; version: string }
  | { state: 'rolled-back' | 'aborted' | 'failed' | 'superseded'; reason: string };

/** The outcome of a request for a version. */
export function activationOutcome(rollout: ConfigRollout, version: string): Outcome {
  const outcome = requestOutcome(rollout, version);
  switch (outcome.state) {
    case 'in-progress':
      return { state: 'in-progress', text: `version ${version} to become current` };
    case 'current':
      return { state: 'current', version };
    case 'superseded': {
      const by = outcome.by === undefined ? '' : `, requested by ${outcome.by}`;
      const other = outcome.version === undefined ? 'an edit of the config' : `version ${outcome.version}`;
      return { state: 'superseded', reason: `Version ${version} was superseded by ${other}${by}` };
    }
    case 'failed':
      return { state: failureState(rollout.status), reason: outcome.message };
  }
}

/** The outcome of a retry, which `value` of the annotation requested. */
export function retryOutcome(rollout: ConfigRollout, value: string): Outcome {
  if (rollout.status?.observed?.retry !== value)
    return { state: 'in-progress', text: 'the controller to start the retry' };
  return settledOutcome(rollout);
}

/** The outcome of a request to abort an activation. `current`: it became current before. */
export function abortOutcome({ status }: ConfigRollout, activation: string, version: string): Outcome {
  const { target, phase, current } = status ?? {};
  if (phase === 'RollbackFailed')
    return { state: 'failed', reason: degraded(status)?.message ?? 'The rollback is denied' };
  if (target?.activation === activation)
    return { state: 'in-progress', text: `version ${version} to be rolled back` };
  if (current?.version === version) return { state: 'current', version };
  const back = current === undefined ? '' : `; version ${current.version} is current`;
  return { state: 'aborted', reason: `Version ${version} was aborted${back}` };
}

/** What a caller waits for: the wanted version is current, a certain version is current, or the condition Ready is True. */
export type Goal = { is: 'current' } | { is: 'ready' } | { is: 'version'; version: string };

/**
 * The outcome of an edit of the config. `live` has the resourceVersions of the config since the edit. The status speaks of
 * the edit when it has observed one of them. Equality is used, because resourceVersions cannot be compared in general.
 */
export function editOutcome(
  rollout: ConfigRollout | undefined,
  live: ReadonlySet<string>,
  goal: Goal,
): Outcome {
  if (rollout === undefined) return { state: 'in-progress', text: 'the controller to manage the config' };
  const observed = rollout.status?.observed?.liveResourceVersion;
  if (observed === undefined || !live.has(observed))
    return { state: 'in-progress', text: 'the controller to process the last edit of the config' };
  if (isUnobserved(rollout))
    return { state: 'in-progress', text: 'the controller to process the last change of the ConfigRollout' };
  switch (goal.is) {
    case 'current':
      return settledOutcome(rollout);
    case 'ready':
      return readyOutcome(rollout);
    case 'version':
      return versionOutcome(rollout, goal.version);
  }
}

/** The version that should be current is current, or it is known that it will not be without a person. */
export function settledOutcome({ status }: ConfigRollout): Outcome {
  const { target, current, phase, conditions } = status ?? {};
  const problem = degraded(status);
  const waiting = (text: string): Outcome => ({ state: 'in-progress', text });
  if (phase === 'RollbackFailed')
    return { state: 'failed', reason: problem?.message ?? 'The rollback is denied' };
  if (target !== undefined)
    return waiting(
      phase === 'RollingBack'
        ? `version ${target.version} to be rolled back`
        : `version ${target.version} to become current`,
    );
  if (phase === 'Failed' || phase === 'Aborted')
    return {
      state: failureState(status),
      reason: problem?.message ?? `The rollout is in phase ${phase}`,
    };
  const ready = conditions?.find(({ type }) => type === 'Ready');
  if (phase === 'Paused' && ready?.status === 'False')
    return waiting(`the rollout to be resumed: ${ready.message}`);
  if (problem !== undefined && !currentAllTheSame.has(problem.reason))
    return { state: 'failed', reason: problem.message };
  if (ready?.status === 'False' && notCurrentYet.has(ready.reason)) return waiting(lowerFirst(ready.message));
  return current === undefined
    ? waiting('the first version')
    : { state: 'current', version: current.version };
}

/** Problems of workloads at rest. The version is current; the workloads are told in the condition. */
const currentAllTheSame: ReadonlySet<string> = new Set(['PinnedToRejected']);

/** Reasons of the condition Ready while another version than the current one is wanted. */
const notCurrentYet: ReadonlySet<string> = new Set([
  'NoVersion',
  'EditPending',
  'WaitingForOthers',
  'WaitingForInterval',
]);

function readyOutcome(rollout: ConfigRollout): Outcome {
  const settled = settledOutcome(rollout);
  const ready = rollout.status?.conditions?.find(({ type }) => type === 'Ready');
  if (settled.state !== 'current' || ready?.status === 'True') return settled;
  return { state: 'in-progress', text: `all workloads to run version ${settled.version}: ${ready?.message}` };
}

/** Another version may be activated before this one, so only this version decides. */
function versionOutcome(rollout: ConfigRollout, version: string): Outcome {
  const { spec, status } = rollout;
  if (spec.version === version) return activationOutcome(rollout, version);
  const waiting: Outcome = { state: 'in-progress', text: `version ${version} to become current` };
  if (status?.target !== undefined) return waiting;
  if (status?.current?.version === version) return { state: 'current', version };
  const isLast = status?.history?.[0]?.version === version;
  return isLast && (status?.phase === 'Failed' || status?.phase === 'Aborted')
    ? settledOutcome(rollout)
    : waiting;
}

/**
 * The status was written before the last change of the spec, or before the last request or retry. One that cannot start,
 * because of a pause or a missing key for example, is not recorded in the status, but the conditions say why.
 */
function isUnobserved({ metadata, spec, status }: ConfigRollout): boolean {
  const { [annotations.requestId]: requestId, [annotations.retry]: retry } = metadata.annotations ?? {};
  const { observed, phase, conditions } = status ?? {};
  if ((observed?.generation ?? 0) < (metadata.generation ?? 0)) return true;
  const isNew =
    isNewRequest({ specVersion: spec.version, requestId, observed }) || isRetry({ retry, observed });
  const isReady =
    conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
  const isOver = ['Rejected', 'Aborted'].includes(degraded(status)?.reason ?? '');
  return isNew && (phase === 'Current' ? isReady : isOver);
}

function failureState(status: ConfigRollout['status']): 'rolled-back' | 'aborted' | 'failed' {
  if (status?.phase === 'Aborted') return 'aborted';
  return status?.phase === 'Failed' && degraded(status)?.reason === 'Rejected' ? 'rolled-back' : 'failed';
}

function degraded(status: ConfigRollout['status']) {
  return status?.conditions?.find(({ type, status: value }) => type === 'Degraded' && value === 'True');
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}
