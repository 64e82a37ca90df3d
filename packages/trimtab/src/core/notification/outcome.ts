import type { ConfigRollout } from '../../api/config-rollout.ts';
import { isReason, type Reason } from '../../api/reasons/reasons.ts';
import { reasonIf } from '../status/waiting-reason.ts';
import { shortHash } from '../version/object-names.ts';

export const outcomeNames = ['current', 'rolled-back', 'aborted', 'rollback-failed', 'stalled'] as const;

export type OutcomeName = (typeof outcomeNames)[number];

/**
 * What came of an activation, for people outside of the cluster. It has names and reasons only: messages of a status quote
 * pods and API servers, which may print anything, such as the value of a Secret.
 */
export interface Outcome {
  /** The same each time that the outcome is sent, so that receivers can recognise a repetition. */
  id: string;
  outcome: OutcomeName;
  /** When it came about, in RFC 3339. */
  time: string;
  config: { kind: string; namespace: string; name: string };
  rollout: string;
  /** The version that the activation rolls out. */
  version: string | undefined;
  /** The version that was current before. */
  previous: string | undefined;
  activation: string | undefined;
  reason: Reason | 'Unknown';
  by: string | undefined;
  durationSeconds: number | undefined;
  /** How many workloads use the config now. */
  workloads: number;
}

/** Reasons of Stalled that have an outcome of their own, or that a person chose. */
export const notStalled: readonly string[] = ['Rejected', 'RollbackFailed', 'Aborted', 'Paused', 'Pinned'];

const results: Record<string, OutcomeName> = {
  Current: 'current',
  RolledBack: 'rolled-back',
  Aborted: 'aborted',
};

/** The outcomes that the status of a rollout shows: those in its history, and its present problem. */
export function outcomesOf(rollout: Pick<ConfigRollout, 'metadata' | 'spec' | 'status'>): Outcome[] {
  const { history = [] } = rollout.status ?? {};
  const ended = history.flatMap((attempt): Outcome[] => {
    const { version, result, startedAt, finishedAt = startedAt, by, activation, previous, cause } = attempt;
    const outcome = results[result];
    if (outcome === undefined) return [];
    const reason =
      outcome === 'rolled-back' && isReason(cause ?? '') ? (cause as Reason) : ownReasons[outcome];
    const seconds = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;
    const base = activation ?? shortHash(JSON.stringify([version, finishedAt]));
    return [
      {
        ...common(rollout, base, outcome),
        ...{ time: finishedAt, version, previous, activation, reason, by },
        durationSeconds: Math.max(0, seconds || 0),
      },
    ];
  });
  return [...ended, ...present(rollout)].filter(({ time }) => !Number.isNaN(Date.parse(time)));
}

const ownReasons: Record<OutcomeName, Reason> = {
  current: 'VersionCurrent',
  'rolled-back': 'RolledBack',
  aborted: 'Aborted',
  'rollback-failed': 'RollbackFailed',
  stalled: 'Parked',
};

/** A rollback that is denied, or a rollout that waits for a person. */
function present(rollout: Pick<ConfigRollout, 'metadata' | 'spec' | 'status'>): Outcome[] {
  const { status } = rollout;
  const reason = status && reasonIf(status, 'Stalled', 'True');
  if (status === undefined || reason === undefined) return [];
  const time = status.conditions?.find(({ type }) => type === 'Stalled')?.lastTransitionTime;
  if (time === undefined) return [];
  const isFailed = status.phase === 'RollbackFailed';
  if (!isFailed && notStalled.includes(reason)) return [];
  const outcome = isFailed ? 'rollback-failed' : 'stalled';
  const { activation, version, by } = status.target ?? {};
  const base = activation ?? shortHash(JSON.stringify([reason, time]));
  return [
    {
      ...common(rollout, base, outcome),
      ...{ time, version, activation, by, reason, durationSeconds: undefined },
      previous: status.current?.version,
    },
  ];
}

function common(
  { metadata, spec, status }: Pick<ConfigRollout, 'metadata' | 'spec' | 'status'>,
  base: string,
  outcome: OutcomeName,
) {
  const { namespace = '', name = '', uid = '' } = metadata;
  return {
    // Configs that are released together have one activation and an outcome each.
    id: `${base}-${outcome}-${shortHash(`${uid} ${namespace}/${name}`)}`,
    outcome,
    config: { kind: spec.config.kind, namespace, name: spec.config.name },
    rollout: name,
    workloads: status?.workloads?.length ?? 0,
  };
}

/** Says in one sentence what happened, and to what. */
export function outcomeText({ outcome, config, version, previous, reason }: Outcome): string {
  const what = `${config.kind} ${config.namespace}/${config.name}`;
  const which = version === undefined ? what : `Version ${version} of ${what}`;
  const stays = previous === undefined ? '' : `; version ${previous} is current`;
  switch (outcome) {
    case 'current':
      return `${which} is current`;
    case 'rolled-back':
      return `${which} was rolled back (${reason})${stays}`;
    case 'aborted':
      return `${which} was aborted${stays}`;
    case 'rollback-failed':
      return `${which} failed, and the API server denies its rollback`;
    case 'stalled':
      return `${version === undefined ? what : `The rollout of version ${version} of ${what}`} waits for a person (${reason})`;
  }
}

/** A command that shows the details. */
export function detailsCommand({ config: { kind, namespace, name } }: Outcome): string {
  return `trimtab status --namespace ${namespace} ${kind.toLowerCase()}/${name}`;
}
