import { controllerManager } from '../../api/names.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import type { Reference } from '../references/references.ts';
import { hasField } from './field-set.ts';
import { isUpdate, type ManagedFields, ofMainResource } from './managed-fields.ts';
import { referenceField } from './reference-field.ts';

/** Who owns the field of a reference. */
export interface ReferenceOwners {
  /** Managers that apply the field server-side. */
  appliers: string[];
  /** Managers that own the field because of an update. */
  updaters: string[];
  /** Whether there are any. */
  isUpdated: boolean;
  /** Whether Trimtab is one of them. */
  isOwn: boolean;
}

/** Returns the owners of each reference, by its pointer. */
export function referenceOwners(
  template: PodTemplate,
  references: readonly Reference[],
  entries: readonly ManagedFields[] | undefined,
): Map<string, ReferenceOwners> {
  const relevant = ofMainResource(entries);
  return new Map(
    references.map(({ pointer }) => {
      const { path } = referenceField(template, pointer);
      const owning = relevant.filter(({ fieldsV1 }) => hasField(fieldsV1, path));
      const appliers = owning.flatMap(({ operation, manager = '' }) =>
        operation === 'Apply' ? manager : [],
      );
      const updaters = owning.filter(isUpdate).map(({ manager = '' }) => manager);
      const isOwn = updaters.includes(controllerManager);
      return [pointer, { appliers, updaters, isUpdated: updaters.length > 0, isOwn }] as const;
    }),
  );
}
