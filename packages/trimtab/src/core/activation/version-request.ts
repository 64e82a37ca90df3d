import type { ObjectMeta } from '@trimtab/kube/wire.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { isNewRequest } from '../version/intent.ts';

/** What somebody's request for a version takes the place of. */
export interface Superseded {
  version: string;
  /** Who asked for it, where that is known. */
  by: string | undefined;
  /** Undefined for what was asked for and has not begun. */
  activation: string | undefined;
}

export type RequestPlan =
  /** It is current, and nothing asks for anything else: there is nothing to write. */
  | { write: false }
  /** `settled`: it is current already, and only what was wished for besides has to go. */
  | { write: true; settled: boolean; supersedes: Superseded | undefined };

/** What it takes to make a version current, as far as the rollout tells. */
export function planRequest(rollout: ConfigRollout, version: string): RequestPlan {
  const { status, spec } = rollout;
  const supersedes = supersededBy(rollout, version);
  const isCurrent = status?.current?.version === version && status.target === undefined;
  if (!isCurrent || supersedes !== undefined) return { write: true, settled: false, supersedes };
  const isRequested = spec.version === undefined || spec.version === version;
  // Failed and the like: something else is wished for and can't be; who names the current version ends that.
  return isRequested && status.phase === 'Current'
    ? { write: false }
    : { write: true, settled: true, supersedes };
}

function supersededBy({ metadata, spec, status }: ConfigRollout, version: string): Superseded | undefined {
  const requestId = metadata.annotations?.[annotations.requestId];
  const isPending = isNewRequest({ specVersion: spec.version, requestId, observed: status?.observed });
  if (isPending && spec.version !== undefined && spec.version !== version) {
    return { version: spec.version, by: stampOf(metadata, spec.version), activation: undefined };
  }
  const target = status?.target;
  if (target === undefined || target.version === version) return undefined;
  return { version: target.version, by: target.by, activation: target.activation };
}

export type RequestOutcome =
  | { state: 'in-progress' }
  | { state: 'current' }
  /** It was rolled back, or could not even begin; `message` names the pod, the container and the exit code. */
  | { state: 'failed'; reason: string; message: string }
  | { state: 'superseded'; version: string | undefined; by: string | undefined };

/** What has become of the wish for a version, as far as the rollout tells. */
export function requestOutcome({ metadata, spec, status }: ConfigRollout, version: string): RequestOutcome {
  const own = metadata.annotations ?? {};
  // Somebody else asked for the same: their request is as good as ours.
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
  if (status?.phase !== 'Failed' || failure === undefined) return { state: 'in-progress' };
  // What can't begin is not heard: it would, as soon as it can.
  const cannotBegin = isObservedGeneration && ['KeyMissing', 'UnknownVersion'].includes(failure.reason);
  return isObserved || cannotBegin ? { state: 'failed', ...failure } : { state: 'in-progress' };
}

/** Who asked for this version: a stamp for another one says nothing about it. */
function stampOf({ annotations: its }: ObjectMeta, version: string | undefined): string | undefined {
  return its?.[annotations.requestedVersion] === version ? its?.[annotations.requestedBy] : undefined;
}
