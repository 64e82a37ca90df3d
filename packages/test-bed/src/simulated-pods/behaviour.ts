import { annotated, type Mod } from '../objects/build.ts';
import type { Templated } from '../objects/pod-template.ts';

/** How a simulated pod can go wrong; test/cluster/kwok has a stage for each. */
export type Behaviour = 'unready' | 'crash-loop' | 'crash-once' | 'fail' | 'config-error' | 'image-error';

export const behaviourAnnotation = 'bed.trimtab.dev/behaviour';

/** Pods of this template behave so from the start; `story`'s `when.podsBehave` changes pods that run. */
export function behaving(behaviour: Behaviour): Mod<Templated> {
  return ({ spec }) => annotated({ [behaviourAnnotation]: behaviour })(spec.template);
}
