import type { PodTemplate } from '../../api/pod-template.ts';
import { type Reference, templateReferences } from './references.ts';

/** The names that admission writes into a pod whose annotation `trimtab.dev/versions` assigns versions. */
export function assignedNames(pod: PodTemplate): Pick<Reference, 'pointer' | 'name'>[] {
  return templateReferences(pod).flatMap(({ pointer, name, written }) =>
    written === undefined || written === name ? [] : [{ pointer, name }],
  );
}
