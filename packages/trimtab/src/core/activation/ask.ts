import type { ObjectMeta } from '@trimtab/kube/wire.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { isAskedAnew } from '../version/intent.ts';

/** What somebody's request for a version takes the place of. */
export interface Superseded {
  version: string;
  /** Who asked for it, where that is known. */
  by: string | undefined;
  /** Undefined for what was asked for and has not begun. */
  activation: string | undefined;
}

export type Asking =
  /** It is current, and nothing asks for anything else: there is nothing to write. */
  | { ask: 'nothing' }
  /** `settled`: it is current already, and only what was wished for besides has to go. */
  | { ask: 'write'; settled: boolean; supersedes: Superseded | undefined };

/** What it takes to make a version current, as far as the rollout tells. */
export function asking(rollout: ConfigRollout, version: string): Asking {
  const { status, spec } = rollout;
  const supersedes = supersededBy(rollout, version);
  const isCurrent = status?.current?.version === version && status.target === undefined;
  if (!isCurrent || supersedes !== undefined) return { ask: 'write', settled: false, supersedes };
  const isWished = spec.version === undefined || spec.version === version;
  // Failed and the like: something else is wished for and can't be; who names the current version ends that.
  return isWished && status.phase === 'Current'
    ? { ask: 'nothing' }
    : { ask: 'write', settled: true, supersedes };
}

function supersededBy({ metadata, spec, status }: ConfigRollout, version: string): Superseded | undefined {
  const asked = metadata.annotations?.[annotations.asked];
  const isPending = isAskedAnew({ specVersion: spec.version, asked, observed: status?.observed });
  if (isPending && spec.version !== undefined && spec.version !== version) {
    return { version: spec.version, by: stampOf(metadata, spec.version), activation: undefined };
  }
  const target = status?.target;
  if (target === undefined || target.version === version) return undefined;
  return { version: target.version, by: target.by, activation: target.activation };
}

export type AskOutcome =
  | { came: 'under way' }
  | { came: 'current' }
  /** It was rolled back, or could not even begin; `message` names the pod, the container and the exit code. */
  | { came: 'to nothing'; reason: string; message: string }
  | { came: 'superseded'; version: string | undefined; by: string | undefined };

/** What has become of the wish for a version, as far as the rollout tells. */
export function askOutcome({ metadata, spec, status }: ConfigRollout, version: string): AskOutcome {
  const own = metadata.annotations ?? {};
  // Somebody else asked for the same: their request is as good as ours.
  if (spec.version !== version) {
    return { came: 'superseded', version: spec.version, by: stampOf(metadata, spec.version) };
  }
  const degraded = status?.conditions?.find(
    ({ type, status: value }) => type === 'Degraded' && value === 'True',
  );
  const isHeard =
    status?.observed?.specVersion === version && status.observed.asked === own[annotations.asked];
  const isSeen = (status?.observed?.generation ?? 0) >= (metadata.generation ?? 0);
  const failure = degraded && { reason: degraded.reason, message: degraded.message };
  if (status?.phase === 'RollbackFailed' && isHeard && failure) return { came: 'to nothing', ...failure };
  if (status?.target !== undefined) return { came: 'under way' };
  if (isHeard && status?.current?.version === version) return { came: 'current' };
  if (status?.phase !== 'Failed' || failure === undefined) return { came: 'under way' };
  // What can't begin is not heard: it would, as soon as it can.
  const cannotBegin = isSeen && ['KeyMissing', 'UnknownVersion'].includes(failure.reason);
  return isHeard || cannotBegin ? { came: 'to nothing', ...failure } : { came: 'under way' };
}

/** Who asked for this version: a stamp for another one says nothing about it. */
function stampOf({ annotations: its }: ObjectMeta, version: string | undefined): string | undefined {
  return its?.[annotations.requestedVersion] === version ? its?.[annotations.requestedBy] : undefined;
}
