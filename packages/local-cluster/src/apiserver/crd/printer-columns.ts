import type { Column } from '../kinds/kind.ts';
import { age } from '../representation/age.ts';
import { creationDescription, nameColumn } from '../representation/columns.ts';
import type { PrinterColumn } from './definition.ts';
import { findAll, parseJsonPath } from './json-path.ts';

const defaultColumns: readonly PrinterColumn[] = [
  { name: 'Age', type: 'date', description: creationDescription, jsonPath: '.metadata.creationTimestamp' },
];

/** Columns of a custom resource in `kubectl get`: its name and the columns in its definition. */
export function printerColumns(columns: readonly PrinterColumn[] = []): Column[] {
  const wanted = columns.length === 0 ? defaultColumns : columns;
  return [nameColumn, ...wanted.map(columnOf)];
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
