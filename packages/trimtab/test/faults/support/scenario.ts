import type { KubeClient } from '@trimtab/kube/client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigRolloutSpec } from '../../../src/api/config-rollout.ts';
import type { App } from '../../support/simulated-app.ts';
import type { Snapshot } from './snapshot.ts';

/** A scenario that runs with many different faults and must always reach the same end state. */
export interface Scenario {
  name: string;
  objects(): KubeObject[];
  /** Changes of each ConfigRollout, applied as soon as it exists. */
  rollouts: Record<string, Partial<Omit<ConfigRolloutSpec, 'strategy'>>>;
  /** Defaults to a short bake, because the default bake would dominate the test. */
  strategy?: { bakeSeconds: number; progressDeadlineSeconds?: number };
  /** Behaviour of pods that depends on their config. */
  app?: App;
  /** Time that a pod of the app needs to become Ready. Only on a driven clock. */
  startupMs?: number;
  steps: ScenarioStep[];
  /**
   * Number of additional revisions that are allowed. The edits are one activation only if the controller observes them
   * together: when its watch of Secrets fails, it observes the edit of the ConfigMap alone and activates it after the
   * coalescing window, so pods restart once more. Allowed only when watches fail at random or two controllers lead.
   */
  extraRevisions?: number;
}

export interface ScenarioStep {
  does(client: KubeClient, namespace: string): Promise<void>;
  /** Condition for the next step, or for the end. */
  until(snapshot: Snapshot): boolean;
}

export const bakeSeconds = 1;
