import { annotated, type Mod } from '../objects/build.ts';
import type { Templated } from '../objects/pod-template.ts';

/** The failure modes of simulated pods. src/cluster/kwok has a stage for each. */
export type Behaviour = 'unready' | 'crash-loop' | 'crash-once' | 'fail' | 'config-error' | 'image-error';

export const behaviourAnnotation = 'bed.trimtab.dev/behaviour';

/** Sets the behaviour of the template's pods from their start. `when.podsBehave` changes running pods. */
export function behaving(behaviour: Behaviour): Mod<Templated> {
  return ({ spec }) => annotated({ [behaviourAnnotation]: behaviour })(spec.template);
}
