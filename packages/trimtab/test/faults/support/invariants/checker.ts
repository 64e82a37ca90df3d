import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Entry } from '../timeline.ts';
import type { World } from '../world.ts';

/** One change: the previous state of the object, and the world after the change. */
export interface Step {
  entry: Entry;
  before: KubeObject | undefined;
  world: World;
}

/** Checks each change of a timeline in order and returns the violations. */
export interface Checker {
  step(step: Step): string[];
  end?(world: World): string[];
}
