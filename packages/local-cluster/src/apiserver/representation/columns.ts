import type { Column } from '../kinds/kind.ts';
import type { LabelSelector } from '../selector/object-selector.ts';
import { age } from './age.ts';

const nameDescription =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';

export const creationDescription =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

export const nameColumn: Column = {
  name: 'Name',
  format: 'name',
  description: nameDescription,
  value: ({ metadata }) => metadata.name ?? '',
};

export const ageColumn: Column = {
  name: 'Age',
  description: creationDescription,
  value: ({ metadata }, now) => age(metadata.creationTimestamp, now),
};

/** Columns of kinds without a printer in Kubernetes. */
export const plainColumns: readonly Column[] = [
  nameColumn,
  {
    name: 'Created At',
    type: 'date',
    description: creationDescription,
    value: ({ metadata }) => metadata.creationTimestamp ?? null,
  },
];

interface Templated {
  containers?: { name: string; image?: string }[];
}

export function containerNames({ containers }: Templated): string {
  return (containers ?? []).map(({ name }) => name).join(',');
}

export function imageNames({ containers }: Templated): string {
  return (containers ?? []).map(({ image = '' }) => image).join(',');
}

/** `a=b,c in (d,e)` */
export function selectorText(selector: LabelSelector | undefined): string {
  if (selector === undefined) return '<none>';
  const parts = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({
    key,
    text: `${key}=${value}`,
  }));
  for (const { key, operator, values = [] } of selector.matchExpressions ?? [])
    parts.push({ key, text: expressionText(key, operator, [...values].sort()) });
  parts.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return parts.length === 0 ? '<none>' : parts.map(({ text }) => text).join(',');
}

function expressionText(key: string, operator: string, values: string[]): string {
  switch (operator) {
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return `${key} ${operator.toLowerCase()} (${values.join(',')})`;
  }
}

export function labelsText(labels: Record<string, string> | undefined): string {
  const entries = Object.entries(labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? '<none>' : entries.map(([key, value]) => `${key}=${value}`).join(',');
}
