import { isObject } from '../object.ts';
import { emptySet, type FieldSet, insert } from './field-set.ts';
import { itemsByStep } from './list-items.ts';
import { fieldStep } from './path-step.ts';
import { formOf, type ListShape, type MapShape, type Shape, shapeOfField } from './shape.ts';

/** Returns the fields that a value sets; a manager that applies the value owns them. */
export function fieldsOf(value: unknown, shape: Shape): FieldSet {
  const set = emptySet();
  collect(value, shape, [], set);
  return set;
}

function collect(value: unknown, shape: Shape, path: string[], set: FieldSet): void {
  const form = formOf(shape, value);
  if (form.is === 'scalar') insert(set, path);
  else if (form.is === 'list') collectList(value, form, path, set);
  else collectMap(value, form, path, set);
}

function collectList(value: unknown, list: ListShape, path: string[], set: FieldSet): void {
  if (list.how === 'atomic') return void insert(set, path);
  if (!Array.isArray(value)) return;
  for (const [step, found] of itemsByStep(value, list)) {
    const inner = [...path, step];
    // Duplicate items cannot be told apart, so they are owned together.
    if (found.length === 1) collect(found[0], list.of, inner, set);
    insert(set, inner);
  }
}

function collectMap(value: unknown, map: MapShape, path: string[], set: FieldSet): void {
  if (map.atomic) return void insert(set, path);
  if (!isObject(value)) return;
  for (const key of Object.keys(value)) {
    const inner = [...path, fieldStep(key)];
    const entry = value[key];
    collect(entry, shapeOfField(map, key), inner, set);
    const isBare = entry === null || (isObject(entry) && Object.keys(entry).length === 0);
    // The writer of a map entry also owns the entry itself; a field that the schema declares always exists.
    if (isBare || !map.fields.has(key)) insert(set, inner);
  }
}
