import type { ConfigRollout } from '../api/config-rollout.ts';
import { annotations } from '../api/names.ts';
import { isNewRequest, isRetry } from '../core/version/intent.ts';

/** How something is doing. Symbols and colours follow it, and the words say the same. */
export type Health = 'good' | 'busy' | 'bad' | 'waiting';

/** The state of a rollout in one word, for programs. */
type HeadlineState =
  | 'Unknown'
  | 'Requested'
  | 'RollingOut'
  | 'Baking'
  | 'RollingBack'
  | 'RolledBack'
  | 'RollbackDenied'
  | 'Aborted'
  | 'Failed'
  | 'Parked'
  | 'Paused'
  | 'Waiting'
  | 'Current';

export interface Headline {
  state: HeadlineState;
  health: Health;
  /** Two or three words for a table, such as `rolling out`. */
  words: string;
  /** One sentence without a period. */
  text: string;
  /** Why the rollout waits or failed. */
  reason?: string;
}

/** Says in words what goes on with a config. */
export function rolloutHeadline(rollout: ConfigRollout): Headline {
  const { status } = rollout;
  if (status?.phase === undefined)
    return {
      state: 'Unknown',
      health: 'waiting',
      words: 'not processed',
      text: 'No controller has processed this config yet',
    };
  const requested = pendingRequest(rollout);
  if (requested !== undefined) return requested;
  switch (status.phase) {
    case 'BeingCurrent':
      return rollingOut(rollout);
    case 'RollingBack':
      return {
        ...line('RollingBack', 'busy', 'rolling back', progressOf(rollout, 'Rolling back')),
        ...why(problemOf(rollout)),
      };
    case 'RollbackFailed':
      return {
        ...line(
          'RollbackDenied',
          'bad',
          'rollback denied',
          `The rollback of version ${status.target?.version} is denied; the controller retries`,
        ),
        ...why(problemOf(rollout)),
      };
    case 'Parked':
      return {
        ...line('Parked', 'waiting', 'parked', `Version ${status.target?.version} is parked`),
        ...why(condition(rollout, 'Ready')?.message.replace(/^Version .+? is parked: /, '')),
      };
    case 'Paused':
      return {
        ...line('Paused', 'waiting', 'paused', progressOf(rollout, 'Paused')),
        ...why(problemOf(rollout)),
      };
    case 'Failed':
      return ended(rollout, 'rolled back', 'RolledBack');
    case 'Aborted':
      return ended(rollout, 'aborted', 'Aborted');
    case 'Current':
      return atRest(rollout);
  }
}

/** A healthy version has to stay healthy for the bake time before the next wave starts, or before it is current. */
export function isBaking({ status }: ConfigRollout): boolean {
  if (status?.phase !== 'BeingCurrent') return false;
  const states = (status.workloads ?? []).map(({ state }) => state);
  const aside = ['Pending', 'NoPods', 'Left', 'Pinned', 'NotJudged'];
  return states.includes('Healthy') && states.every((state) => state === 'Healthy' || aside.includes(state));
}

/** The bake time of the activation in progress. A request may skip it. */
export function bakeSeconds({ metadata, spec, status }: ConfigRollout): number {
  const { [annotations.skipBake]: skipped, [annotations.requestId]: request } = metadata.annotations ?? {};
  const isSkipped = skipped !== undefined && skipped === request && spec.version === status?.target?.version;
  return isSkipped ? 0 : spec.strategy.bakeSeconds;
}

/** The condition Degraded while it is True, without the parts that the headline contains. */
export function problemOf(rollout: ConfigRollout): string | undefined {
  const degraded = condition(rollout, 'Degraded');
  if (degraded?.status !== 'True') return undefined;
  return withoutRemedy(degraded.message)
    .replace(/^Version .+? failed on /, '')
    .replace(/^Version .+? was (rolled back|aborted): /, '')
    .replace(/^Version .+? was (rolled back|aborted) (?=together|by )/, '');
}

/** A message without the remedy at its end, which is written for users of kubectl. */
export function withoutRemedy(message: string): string {
  return message.replace(/\. Edit the config, or set annotation .*$/s, '');
}

function pendingRequest({ metadata, spec, status }: ConfigRollout): Headline | undefined {
  const { [annotations.requestId]: requestId, [annotations.retry]: retry } = metadata.annotations ?? {};
  const observed = status?.observed;
  const isUnseen = (observed?.generation ?? 0) < (metadata.generation ?? 0);
  const isOver = status?.phase === 'Failed' || status?.phase === 'Aborted';
  const reason = status?.conditions?.find(({ type }) => type === 'Degraded')?.reason;
  // A request that cannot start, because of a missing key for example, stays unobserved. It is no longer pending.
  const mayBeTried = isOver && (reason === 'Rejected' || reason === 'Aborted');
  const isRequest = isNewRequest({ specVersion: spec.version, requestId, observed });
  if (isRequest && (isUnseen || mayBeTried) && status?.target?.version !== spec.version)
    return line(
      'Requested',
      'busy',
      'requested',
      `Version ${spec.version} is requested; the controller has not started its activation yet`,
    );
  if (mayBeTried && isRetry({ retry, observed }))
    return line(
      'Requested',
      'busy',
      'retry requested',
      'A retry is requested; the controller has not started it yet',
    );
  return undefined;
}

function rollingOut(rollout: ConfigRollout): Headline {
  const { status } = rollout;
  const held = status?.workloads?.find(
    ({ state }) => state.startsWith('WaitingFor') || state === 'ScaledToZero',
  );
  if (isBaking(rollout)) {
    const isLast = !status?.workloads?.some(({ state }) => state === 'Pending');
    const after = isLast ? 'it becomes current' : 'the next wave starts';
    return line(
      'Baking',
      'busy',
      'baking',
      `Version ${status?.target?.version} is healthy; ${after} after a bake time of ${bakeSeconds(rollout)} s`,
    );
  }
  return {
    ...line('RollingOut', 'busy', 'rolling out', progressOf(rollout, 'Rolling out')),
    ...why(problemOf(rollout) ?? held?.message),
  };
}

/** The wanted version is not current, and nothing tries it any more. */
function ended(rollout: ConfigRollout, how: string, state: HeadlineState): Headline {
  const { status } = rollout;
  const degraded = condition(rollout, 'Degraded');
  const current = status?.current === undefined ? '' : `; version ${status.current.version} is current`;
  const failed = new RegExp(`^Version (.+?) was ${how}`).exec(degraded?.message ?? '')?.[1];
  if (failed !== undefined)
    return {
      ...line(state, 'bad', how, `Version ${failed} was ${how}${current}`),
      ...why(problemOf(rollout)),
    };
  return {
    ...line('Failed', 'bad', 'not activated', `The wanted version cannot be activated${current}`),
    ...why(problemOf(rollout)),
  };
}

function atRest(rollout: ConfigRollout): Headline {
  const { status } = rollout;
  const ready = condition(rollout, 'Ready');
  if (status?.current === undefined)
    return {
      ...line('Waiting', 'waiting', 'no version', 'No version exists yet'),
      ...why(problemOf(rollout)),
    };
  const isCurrent = `Version ${status.current.version} is current`;
  const problem = problemOf(rollout);
  if (problem !== undefined)
    return { ...line('Failed', 'bad', 'problem', `${isCurrent}, with a problem`), ...why(problem) };
  if (ready?.status !== 'False')
    return {
      ...line('Current', 'good', 'current', isCurrent),
      ...why(ready?.reason === 'NoPods' ? 'Not judged: no workload has desired pods' : undefined),
    };
  const isAnotherWaiting = ['EditPending', 'WaitingForOthers', 'WaitingForInterval'].includes(ready.reason);
  const but = isAnotherWaiting ? 'another version waits' : 'not all workloads run it';
  const words = ready.reason === 'Pinned' ? 'pinned' : ready.reason === 'Assigning' ? 'assigning' : 'waiting';
  return { ...line('Waiting', 'waiting', words, `${isCurrent}; ${but}`), ...why(ready.message) };
}

function progressOf(rollout: ConfigRollout, otherwise: string): string {
  const { status } = rollout;
  const fallback = status?.target === undefined ? otherwise : `${otherwise} version ${status.target.version}`;
  return condition(rollout, 'Progressing')?.message ?? fallback;
}

function condition({ status }: ConfigRollout, wanted: string) {
  return status?.conditions?.find(({ type }) => type === wanted);
}

function line(state: HeadlineState, health: Health, words: string, text: string): Headline {
  return { state, health, words, text };
}

function why(reason: string | undefined): { reason?: string } {
  return reason === undefined || reason === '' ? {} : { reason };
}
