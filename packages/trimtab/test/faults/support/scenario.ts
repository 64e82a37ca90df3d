import type { KubeClient } from '@trimtab/kube/client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigRolloutSpec } from '../../../src/api/config-rollout.ts';
import type { App } from '../../support/simulated-app.ts';
import type { Snapshot } from './snapshot.ts';

/** A story that is told many times over, each time with another disturbance and always with the same end. */
export interface Scenario {
  name: string;
  objects(): KubeObject[];
  /** What people change of each ConfigRollout as soon as it is there. */
  rollouts: Record<string, Partial<Omit<ConfigRolloutSpec, 'strategy'>>>;
  /** What the pods do where they depend on their config. */
  app?: App;
  steps: ScenarioStep[];
  /**
   * Its edits are one activation only for who sees them together: a controller whose watch of Secrets fails sees the
   * ConfigMap's edit alone, and when the coalescing window is over nothing tells it to wait. Then pods restart once
   * more. Only where watches fail at random, or two lead at once, is that let pass.
   */
  extraRevisions?: number;
}

export interface ScenarioStep {
  does(client: KubeClient, namespace: string): Promise<void>;
  /** The next step, or the end, comes when this is so. */
  until(snapshot: Snapshot): boolean;
}

export const bakeSeconds = 1;
