import type { ObjectMeta } from '@trimtab/kube/wire.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { isNewRequest } from '../version/intent.ts';
import { preflightReasons } from './rollout-state.ts';

/** The earlier request or activation that a new request for a version supersedes. */
export interface Superseded {
  version: string;
  /** Who requested that version, if known. */
  by: string | undefined;
  /** Undefined for a request whose activation has not started. */
  activation: string | undefined;
}

export type RequestPlan =
  /** The version is current and no other version is requested, so there is nothing to write. */
  | { write: false }
  /** `settled`: the version is already current, and the write only replaces a request for another version. */
  | { write: true; settled: boolean; supersedes: Superseded | undefined };

/** Plans the write that makes a version current, based on the state of the rollout. */
export function planRequest(rollout: ConfigRollout, version: string): RequestPlan {
  const { status, spec } = rollout;
  const supersedes = supersededBy(rollout, version);
  const isCurrent = status?.current?.version === version && status.target === undefined;
  if (!isCurrent || supersedes !== undefined) return { write: true, settled: false, supersedes };
  const isRequested = spec.version === undefined || spec.version === version;
  // In a phase such as Failed, another version is wanted and cannot be activated. This request replaces it.
  return isRequested && status.phase === 'Current'
    ? { write: false }
    : { write: true, settled: true, supersedes };
}

/** The version of a request that the controller has not seen yet. */
export function pendingVersion({ metadata, spec, status }: ConfigRollout): string | undefined {
  const requestId = metadata.annotations?.[annotations.requestId];
  const isPending = isNewRequest({ specVersion: spec.version, requestId, observed: status?.observed });
  return isPending ? spec.version : undefined;
}

function supersededBy(rollout: ConfigRollout, version: string): Superseded | undefined {
  const { metadata, status } = rollout;
  const pending = pendingVersion(rollout);
  if (pending !== undefined && pending !== version) {
    return { version: pending, by: stampOf(metadata, pending), activation: undefined };
  }
  const target = status?.target;
  if (target === undefined || target.version === version) return undefined;
  return { version: target.version, by: target.by, activation: target.activation };
}

export type RequestOutcome =
  | { state: 'in-progress' }
  | { state: 'current' }
  /** The version was rolled back or cannot be activated; `message` names the pod, the container and the exit code. */
  | { state: 'failed'; reason: string; message: string }
  | { state: 'superseded'; version: string | undefined; by: string | undefined };

/** Returns the outcome of a request for a version, based on the state of the rollout. */
export function requestOutcome({ metadata, spec, status }: ConfigRollout, version: string): RequestOutcome {
  const own = metadata.annotations ?? {};
  // A later request by another user for the same version has the same outcome and does not supersede this one.
  if (spec.version !== version) {
    return { state: 'superseded', version: spec.version, by: stampOf(metadata, spec.version) };
  }
  const degraded = status?.conditions?.find(
    ({ type, status: value }) => type === 'Degraded' && value === 'True',
  );
  const isObserved =
    status?.observed?.specVersion === version && status.observed.requestId === own[annotations.requestId];
  const isObservedGeneration = (status?.observed?.generation ?? 0) >= (metadata.generation ?? 0);
  const failure = degraded && { reason: degraded.reason, message: degraded.message };
  if (status?.phase === 'RollbackFailed' && isObserved && failure) return { state: 'failed', ...failure };
  if (status?.target !== undefined) return { state: 'in-progress' };
  if (isObserved && status?.current?.version === version) return { state: 'current' };
  const hasEnded = status?.phase === 'Failed' || status?.phase === 'Aborted';
  if (!hasEnded || failure === undefined) return { state: 'in-progress' };
  // A request that cannot start is not recorded in `observed`, because it starts as soon as the cause is gone.
  const cannotBegin =
    isObservedGeneration &&
    [...preflightReasons, 'UnknownVersion'].some((reason) => reason === failure.reason);
  return isObserved || cannotBegin ? { state: 'failed', ...failure } : { state: 'in-progress' };
}

/** Returns who requested this version; a stamp for another version is ignored. */
function stampOf({ annotations: its }: ObjectMeta, version: string | undefined): string | undefined {
  return its?.[annotations.requestedVersion] === version ? its?.[annotations.requestedBy] : undefined;
}
