import type { ConfigRollout } from '../api/config-rollout.ts';
import { bakeSeconds, isBaking, problemOf, rolloutHeadline } from './rollout-headline.ts';
import { workloadState } from './rollout-tree.ts';

/** The name of a config as users type it: a bare name is a ConfigMap. */
export function typedConfig({ kind, name }: { kind: string; name: string }): string {
  return kind === 'ConfigMap' ? name : `${kind.toLowerCase()}/${name}`;
}

/** The line that describes the state of a rollout: `shop foo 1.0.2: current`. */
export function describeState(rollout: ConfigRollout): string {
  const { status } = rollout;
  const { state, text, reason } = rolloutHeadline(rollout);
  const requested = state === 'Requested' ? rollout.spec.version : undefined;
  const version = requested ?? status?.target?.version ?? status?.current?.version;
  return `${subject(rollout, version)}: ${lowerFirst(withReason(text, reason))}`;
}

/** The lines that describe a change of a rollout, such as `shop foo 1.0.3: rolling out to Deployment web`. */
export function describeChange(before: ConfigRollout | undefined, after: ConfigRollout): string[] {
  const [then, now] = [before?.status, after.status];
  if (now === undefined) return [];
  const { target } = now;
  if (target !== undefined && target.activation !== then?.target?.activation) return [started(after)];
  if (then?.target !== undefined && target === undefined) return [ended(after, then.target)];
  if (then?.current === undefined && now.current !== undefined && target === undefined)
    return [`${subject(after, now.current.version)}: current`];
  // An activation without workloads ends at once and is never a target.
  if (target === undefined && now.current?.object !== then?.current?.object)
    return [`${subject(after, now.current?.version)}: current`];
  const lines = target === undefined ? [] : workloadChanges(before, after);
  return [...lines, ...phaseChange(before, after)];
}

function started(rollout: ConfigRollout): string {
  const { target, workloads = [], phase } = rollout.status ?? {};
  const by = target?.by === undefined ? '' : `, requested by ${target.by}`;
  const names = workloads.map(({ kind, name }) => `${kind} ${name}`);
  const shown = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more workloads`] : names;
  const what = phase === 'RollingBack' ? 'rolling back' : 'rolling out';
  return `${subject(rollout, target?.version)}: ${what}${names.length === 0 ? '' : ` to ${shown.join(', ')}`}${by}`;
}

function ended(
  rollout: ConfigRollout,
  { version, startedAt }: NonNullable<NonNullable<ConfigRollout['status']>['target']>,
): string {
  const { status } = rollout;
  const attempt = status?.history?.find((each) => each.version === version);
  const took = attempt?.finishedAt === undefined ? '' : ` after ${seconds(startedAt, attempt.finishedAt)} s`;
  const back = status?.current === undefined ? '' : `; version ${status.current.version} is current`;
  const about = subject(rollout, version);
  if (status?.current?.version === version) return `${about}: current${took}`;
  if (status?.phase === 'Failed')
    return withReason(`${about}: rolled back${took}`, problemOf(rollout) ?? attempt?.reason);
  if (status?.phase === 'Aborted' || attempt?.result === 'Aborted')
    return `${withReason(`${about}: aborted${took}`, problemOf(rollout) ?? attempt?.reason)}${back}`;
  return `${about}: cancelled${took}${back}`;
}

/** What changed on workloads while one activation goes on. */
function workloadChanges(before: ConfigRollout | undefined, after: ConfigRollout): string[] {
  const { target, workloads = [] } = after.status ?? {};
  return workloads.flatMap((line) => {
    const { kind, name, state, updated, total, message } = line;
    const old = before?.status?.workloads?.find((each) => each.kind === kind && each.name === name);
    if (old?.state === state && (old.updated === updated || after.status?.phase !== 'BeingCurrent'))
      return [];
    // The line about the phase says which workload failed, and why.
    if (state === 'Failed' && after.status?.phase === 'RollingBack') return [];
    const { words } = workloadState(state);
    const count = after.status?.phase === 'BeingCurrent' ? `, ${updated} of ${total} pods updated` : '';
    const isTold = state === 'Failed' || state === 'Inconclusive' || state.startsWith('WaitingFor');
    const text = `${subject(after, target?.version)}: ${kind} ${name}: ${words}${count}`;
    return [isTold && message !== old?.message ? withReason(text, message) : text];
  });
}

function phaseChange(before: ConfigRollout | undefined, after: ConfigRollout): string[] {
  const about = subject(after, after.status?.target?.version ?? after.status?.current?.version);
  if (isBaking(after)) {
    const bake = bakeSeconds(after);
    return before !== undefined && !isBaking(before) && bake > 0
      ? [`${about}: healthy, observed for a bake time of ${bake} s`]
      : [];
  }
  const [then, now] = [before && rolloutHeadline(before), rolloutHeadline(after)];
  if (then?.state === now.state && then.reason === now.reason) return [];
  if (then?.state === 'Paused' && now.state !== 'Paused') return [`${about}: resumed, ${now.words}`];
  const { reason } = now;
  switch (now.state) {
    case 'Requested':
      return [`${subject(after, after.spec.version)}: ${now.words}`];
    case 'Unknown':
      return [];
    case 'Current':
      // Nothing was rolled out: what a workload or another version waited for is over.
      return then === undefined ? [] : [`${about}: current`];
    case 'RollingOut':
    case 'Baking':
      return reason === undefined ? [] : [withReason(`${about}: ${now.words}`, reason)];
    default:
      return [withReason(`${about}: ${now.words}`, reason)];
  }
}

/** `shop foo 1.0.3`, the beginning of every line. */
function subject({ metadata, spec }: ConfigRollout, version: string | undefined): string {
  return [metadata.namespace, typedConfig(spec.config), version].filter(Boolean).join(' ');
}

/** A termination message of a container may have several lines; a change is one line. */
function withReason(text: string, reason: string | undefined): string {
  return reason === undefined || reason === '' ? text : `${text}: ${reason.replace(/\p{Cc}+/gu, ' ').trim()}`;
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

function seconds(from: string, to: string): number {
  return Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
}
