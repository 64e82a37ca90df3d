import { annotations } from '../../api/names.ts';
import { type FieldPath, hasField, withoutField } from './field-set.ts';
import type { ManagedFields } from './managed-fields.ts';

/** The annotation of a pod template in which Trimtab assigns versions. */
const path: FieldPath = ['spec', 'template', 'metadata', 'annotations', annotations.versions].map(
  (field) => ({ field }),
);

/**
 * Whether a manager that applies the workload server-side owns the annotation: admission added it to what the manager
 * applied. Without admission, the next apply would remove it, and new pods would run the live config.
 */
export function isVersionsApplied(entries: readonly ManagedFields[]): boolean {
  return entries.some((entry) => isApplier(entry));
}

/** Returns the JSON patch that takes the annotation from those managers. Each entry is tested, as in `giveBack`. */
export function takeVersions(entries: readonly ManagedFields[]) {
  const changed = [...entries.entries()].filter(([, entry]) => isApplier(entry)).reverse();
  const at = (index: number) => `/metadata/managedFields/${index}`;
  return [
    ...changed.map(([index, entry]) => ({ op: 'test' as const, path: at(index), value: entry })),
    ...changed.map(([index, { fieldsV1 }]) => ({
      op: 'replace' as const,
      path: `${at(index)}/fieldsV1`,
      value: withoutField(fieldsV1 ?? {}, path) ?? {},
    })),
  ];
}

function isApplier({ operation, subresource, fieldsV1 }: ManagedFields): boolean {
  return operation === 'Apply' && !subresource && hasField(fieldsV1, path);
}
