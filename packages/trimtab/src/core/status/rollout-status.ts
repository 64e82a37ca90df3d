import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { wantedVersion } from '../activation/rollout-state.ts';
import type { VersionRef } from '../activation/types.ts';
import { versionWithContent } from '../version/intent.ts';
import { history, targetOf, versionFields } from './attempts.ts';
import { mergeConditions } from './conditions.ts';
import { findings } from './findings.ts';
import { phaseOf } from './phase.ts';
import { currentOf, hasEnded, memberOf, type StatusInput } from './status-input.ts';
import { workloadLine } from './workload-lines.ts';

/** Computes the status of a rollout from observed state; only times and history come from the previous status. */
export function rolloutStatus(input: StatusInput): ConfigRolloutStatus {
  const { state, activation, before, generation, now } = input;
  const over = hasEnded(input);
  const member = memberOf(input);
  const current = currentOf(input);
  const isRollingOut = !over && activation?.activation.phase === 'moving' && member !== undefined;
  const shown = isRollingOut ? member.target : current;
  const lines = input.workloads.map((workload) =>
    workloadLine(
      workload,
      over ? undefined : activation?.plan.workloads.get(workload.key),
      state.config,
      shown,
    ),
  );
  const phase = phaseOf(input, current);
  const total = lines.reduce((sum, line) => sum + line.total, 0);
  const updated = lines.reduce((sum, line) => sum + line.updated, 0);
  const target =
    activation === undefined || over || member === undefined
      ? undefined
      : targetOf(input, activation, member.target);
  return {
    observedGeneration: generation,
    observed: observed(input),
    ...(current !== undefined && {
      current: { ...versionFields(current), since: sinceOf(before, current, now) },
    }),
    ...(target !== undefined && { target }),
    phase,
    workloads: lines,
    updated: `${updated}/${total}`,
    history: history(input, target),
    conditions: mergeConditions(before?.conditions, findings(input, phase, lines), generation, now),
  };
}

/** The input that this status takes into account. A deferred edit or request is omitted, so it is not lost. */
function observed(input: StatusInput): NonNullable<ConfigRolloutStatus['observed']> {
  const { before, generation, live, specVersion, requestId, retry, state, activation } = input;
  // Of a Locked config only updates by the controller are observed: other content is an edit once the mode is Auto.
  const isDeferred = state.intent.want === 'wait for version' || state.coalescing || input.isBehind;
  // A request for the version that is being rolled back takes effect after the rollback.
  const isBusy =
    activation?.activation.phase === 'rolling-back' ||
    ['failed', 'aborting'].includes(activation?.plan.outcome.result ?? '');
  const waiting =
    state.newRequest &&
    (activation === undefined || isBusy) &&
    wantedVersion(state)?.object !== state.current?.object;
  // Without live content the last one stays known: a config that comes back with other content was edited.
  const known = isDeferred || live === undefined ? before?.observed : undefined;
  const { version = known?.liveVersion, resourceVersion = known?.liveResourceVersion } = isDeferred
    ? { resourceVersion: isRefused(input) ? live?.resourceVersion : undefined }
    : observedLive(input);
  const asked = waiting ? (before?.observed ?? {}) : { specVersion, requestId, retry };
  return {
    generation,
    ...(version !== undefined && { liveVersion: version }),
    ...(resourceVersion !== undefined && { liveResourceVersion: resourceVersion }),
    ...(asked.specVersion !== undefined && { specVersion: asked.specVersion }),
    ...(asked.requestId !== undefined && { requestId: asked.requestId }),
    ...(asked.retry !== undefined && { retry: asked.retry }),
  };
}

/** The version of the live content; empty while no version has it. */
function observedLive(input: StatusInput): { version?: string; resourceVersion?: string } {
  const { live, state, before } = input;
  if (live === undefined) return {};
  const version = versionWithContent(state.versions, live, currentOf(input)?.name, before?.target?.version);
  return { version: version?.name ?? '', resourceVersion: live.resourceVersion };
}

/**
 * The status describes an edit that cannot become a version, although the edit is still to be released. Where only the
 * resourceVersion tells that the config was edited, it stays.
 */
function isRefused({ versionProblem, state, specVersion, before, isBehind }: StatusInput): boolean {
  if (!isBehind && (versionProblem === undefined || state.coalescing)) return false;
  const known = before?.observed?.liveVersion;
  return specVersion === undefined || state.versions.some(({ name }) => name === known);
}

function sinceOf(before: ConfigRolloutStatus | undefined, current: VersionRef, now: string): string {
  return before?.current?.object === current.object ? before.current.since : now;
}
