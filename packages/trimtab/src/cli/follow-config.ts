import type { KubeClient } from '@trimtab/kube/client.ts';
import type { ConfigRollout } from '../api/config-rollout.ts';
import type { Outcome } from '../core/activation/outcome.ts';
import type { ConfigAddress } from '../core/references/config-address.ts';
import { RolloutFollower } from './follow-rollout.ts';
import { typedName } from './object-argument.ts';
import { renderTree } from './output/render-tree.ts';
import { type Ended, type ProgressOptions, showProgress } from './show-progress.ts';

export interface FollowedConfig extends Pick<ProgressOptions, 'io' | 'screen' | 'warn'> {
  client: KubeClient;
  address: ConfigAddress;
  timeoutMs: number;
  outcome(rollout: ConfigRollout): Outcome;
}

/** Shows the tree of one config until the outcome is known. */
export function followConfig({ client, address, outcome, ...rest }: FollowedConfig): Promise<Ended> {
  const { screen } = rest;
  return showProgress({
    ...rest,
    follower: new RolloutFollower({ client, config: address, withPods: true }),
    paint: (follower, { now, height }) => {
      const [tree] = follower.trees;
      if (tree === undefined) return [`${typedName(address)} has no ConfigRollout`];
      return renderTree(tree, screen, { now, ...(height !== undefined && { height }) });
    },
    outcome: ([rollout]) =>
      rollout === undefined
        ? { state: 'failed', reason: `The ConfigRollout of ${typedName(address)} was deleted` }
        : outcome(rollout),
  });
}
