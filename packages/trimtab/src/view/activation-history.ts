import { type ConfigRollout, configRollouts } from '../api/config-rollout.ts';

/** An activation that runs or has ended. */
export interface Activation {
  version: string;
  /** The phase of the rollout while the activation runs; then Current, RolledBack, Aborted or Superseded. */
  result: string;
  startedAt: string;
  /** Absent while the activation runs. */
  finishedAt?: string;
  durationSeconds: number;
  by?: string;
  reason?: string;
}

export interface ActivationList {
  apiVersion: string;
  kind: 'ActivationList';
  metadata: Record<never, never>;
  items: Activation[];
}

/** The activations of a config, newest first. The API keeps the last 20 that have ended. */
export function activationHistory(rollout: ConfigRollout | undefined, now: number): ActivationList {
  const { target, phase = 'BeingCurrent', history = [] } = rollout?.status ?? {};
  const running = target && {
    ...{ version: target.version, result: phase, startedAt: target.startedAt },
    ...(target.by !== undefined && { by: target.by }),
    ...(target.reason !== undefined && { reason: target.reason }),
  };
  return {
    apiVersion: `${configRollouts.group}/${configRollouts.version}`,
    kind: 'ActivationList',
    metadata: {},
    items: [...(running ? [running] : []), ...history].map((each) => ({
      ...each,
      durationSeconds: secondsBetween(
        each.startedAt,
        'finishedAt' in each ? each.finishedAt : undefined,
        now,
      ),
    })),
  };
}

function secondsBetween(start: string, end: string | undefined, now: number): number {
  const ms = (end === undefined ? now : Date.parse(end)) - Date.parse(start);
  return Number.isNaN(ms) ? 0 : Math.max(0, Math.floor(ms / 1000));
}
