import type { PodTemplate } from '../../api/pod-template.ts';
import { type FieldPath, type FieldSet, hasField, withField, withoutField } from './field-set.ts';
import { isUpdate, type ManagedFields } from './managed-fields.ts';
import { type ReferenceField, referenceField } from './reference-field.ts';
import type { ReferenceOwners } from './reference-owners.ts';

type Operation =
  | { op: 'test' | 'replace'; path: string; value: unknown }
  | { op: 'remove'; path: string; value?: never };

/** A field that a client owns because of an update, and to whom it belongs. */
interface UpdatedField {
  path: FieldPath;
  /**
   * The indexes of the entries of managers that apply the field; without any, the field has no owner. Two managers conflict
   * with each other, which only their entries tell.
   */
  to: readonly number[];
}

/**
 * Returns the fields of references that a client owns because of an update. A server-side apply would conflict with such
 * a client, Trimtab included, because the reference names a version and not what the client wrote. Therefore a field goes
 * to whoever applies it, and else has no owner. `before` are the owners from before Trimtab wrote; without an applier among
 * them, whoever applies the volume or the variable is taken.
 */
export function updatedFields(
  template: PodTemplate,
  pointers: readonly string[],
  entries: readonly ManagedFields[],
  before?: ReadonlyMap<string, ReferenceOwners>,
): UpdatedField[] {
  return pointers.flatMap((pointer) => {
    const field = referenceField(template, pointer);
    const isUpdated = entries.some((entry) => isUpdate(entry) && hasField(entry.fieldsV1, field.path));
    return isUpdated ? [{ path: field.path, to: appliersOf(field, entries, before?.get(pointer)) }] : [];
  });
}

function appliersOf(
  { item }: ReferenceField,
  entries: readonly ManagedFields[],
  before: ReferenceOwners | undefined,
): number[] {
  return entries.flatMap(({ operation, subresource, fieldsV1, manager }, index) => {
    if (operation !== 'Apply' || subresource) return [];
    const isApplier =
      before !== undefined && before.appliers.length > 0
        ? before.appliers.includes(manager ?? '')
        : item !== undefined && hasField(fieldsV1, item);
    return isApplier ? [index] : [];
  });
}

/**
 * Returns the JSON patch that gives the fields away. Each entry is tested, because a patch of `managedFields` changes no
 * generation and a concurrent write may have changed the entry.
 */
export function giveBack(entries: readonly ManagedFields[], fields: readonly UpdatedField[]): Operation[] {
  const changed = new Map<number, FieldSet | undefined>();
  const setOf = (index: number): FieldSet | undefined =>
    changed.has(index) ? changed.get(index) : entries[index]?.fieldsV1;
  for (const { path, to } of fields) {
    for (const [index, entry] of entries.entries()) {
      const own = setOf(index);
      if (isUpdate(entry) && own !== undefined && hasField(own, path))
        changed.set(index, withoutField(own, path));
    }
    for (const index of to) changed.set(index, withField(setOf(index) ?? {}, path));
  }
  // From the last to the first, so that a removal does not move the others.
  const indexes = [...changed.keys()].sort((a, b) => b - a);
  const at = (index: number) => `/metadata/managedFields/${index}`;
  return [
    ...indexes.map((index): Operation => ({ op: 'test', path: at(index), value: entries[index] })),
    ...indexes.map((index): Operation => {
      const fieldsV1 = changed.get(index);
      return fieldsV1 === undefined
        ? { op: 'remove', path: at(index) }
        : { op: 'replace', path: `${at(index)}/fieldsV1`, value: fieldsV1 };
    }),
  ];
}
