import { badRequest } from '../errors/status-error.ts';
import type { Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../object.ts';
import { parseFieldSelector } from '../selector/field-selector.ts';
import { type LabelSelector, parseLabelSelector } from '../selector/label-selector.ts';

/** The objects that a list, watch or deletecollection selects. */
export interface Selection {
  /** True when all objects are selected. */
  isEverything: boolean;
  /** Set when only one object can match, so no other has to be read. */
  name: string | undefined;
  matches(object: ApiObject): boolean;
}

export function selectionOf(
  kind: Kind,
  { labelSelector, fieldSelector }: { labelSelector: string; fieldSelector: string },
): Selection {
  const labels = parseLabelSelector(labelSelector);
  const fields = parseFieldSelector(fieldSelector).map(({ field, equals, value }) => ({
    read: reader(kind, field),
    field,
    equals,
    value,
  }));
  const named = fields.find(({ field, equals }) => field === 'metadata.name' && equals);
  return {
    isEverything: labels === undefined && fields.length === 0,
    name: named?.value,
    matches: (object) =>
      matchesLabels(labels, object) &&
      fields.every(({ read, equals, value }) => (read(object) === value) === equals),
  };
}

function matchesLabels(selector: LabelSelector | undefined, { metadata }: ApiObject): boolean {
  return selector === undefined || selector(metadata.labels ?? {});
}

function reader(kind: Kind, field: string): (object: ApiObject) => string {
  if (field === 'metadata.name') return ({ metadata }) => metadata.name ?? '';
  if (field === 'metadata.namespace') return ({ metadata }) => metadata.namespace ?? '';
  const own = Object.hasOwn(kind.selectableFields, field) ? kind.selectableFields[field] : undefined;
  if (own !== undefined) return own;
  if (Object.keys(kind.selectableFields).length > 0) throw badRequest(`field label not supported: ${field}`);
  throw badRequest(
    `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}
