import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { ActivationRules } from './types.ts';

/** The rules that the spec of a rollout sets for its activations. */
export function activationRules({ strategy, paused }: ConfigRollout['spec']): ActivationRules {
  return {
    bakeMs: strategy.bakeSeconds * 1000,
    progressDeadlineMs: strategy.progressDeadlineSeconds * 1000,
    maxRestarts: strategy.maxRestarts,
    onFailure: strategy.onFailure,
    ackTimeoutMs: strategy.ackTimeoutSeconds * 1000,
    paused: paused === true,
  };
}
