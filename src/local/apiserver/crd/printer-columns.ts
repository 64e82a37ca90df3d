import type { Column } from '../kinds/kind.ts';
import { age } from '../representation/age.ts';
import { nameColumn } from '../representation/columns.ts';
import type { PrinterColumn } from './definition.ts';
import { findAll, parseJsonPath } from './json-path.ts';

const nameDescription =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';
const ageDescription =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

const defaultColumns: readonly PrinterColumn[] = [
  { name: 'Age', type: 'date', description: ageDescription, jsonPath: '.metadata.creationTimestamp' },
];

/** What `kubectl get` shows of a custom resource: its name, and the columns that its definition names. */
export function printerColumns(columns: readonly PrinterColumn[] = []): Column[] {
  const wanted = columns.length === 0 ? defaultColumns : columns;
  return [{ ...nameColumn, description: nameDescription }, ...wanted.map(columnOf)];
}

function columnOf({ name, type, format, description, priority = 0, jsonPath }: PrinterColumn): Column {
  const path = parseJsonPath(jsonPath) ?? [];
  return {
    name,
    type: type as NonNullable<Column['type']>,
    ...(format !== undefined && { format }),
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority,
    value(object, now) {
      const [found] = findAll(object, path);
      return found === undefined || found === null ? null : cell(type, found, now);
    },
  };
}

function cell(type: string, value: unknown, now: number): string | number | boolean | null {
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      if (typeof value !== 'string') return null;
      return Number.isNaN(Date.parse(value)) ? '<invalid>' : age(value, now);
    default:
      return typeof value === 'string' ? value : JSON.stringify(value);
  }
}
