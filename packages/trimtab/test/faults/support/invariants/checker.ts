import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Entry } from '../timeline.ts';
import type { World } from '../world.ts';

/** One change: what the object was before, and the world after it. */
export interface Step {
  entry: Entry;
  before: KubeObject | undefined;
  world: World;
}

/** Looks at each change of a timeline in turn; answers what is wrong with it. */
export interface Checker {
  step(step: Step): string[];
  end?(world: World): string[];
}
