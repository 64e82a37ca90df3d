import { isObject, setKey } from '../object.ts';
import { type FieldSet, isEmpty } from './field-set.ts';
import { stepOf } from './list-items.ts';
import { fieldStep } from './path-step.ts';
import { formOf, type ListShape, type MapShape, type Shape, shapeOfField } from './shape.ts';

/** Returns a value without the given fields; null when nothing is left. */
export function removeFields(value: unknown, gone: FieldSet, shape: Shape): unknown {
  const form = formOf(shape, value);
  if (form.is === 'list') return removeItems(value, gone, form);
  return form.is === 'map' ? removeEntries(value, gone, form) : value;
}

function removeItems(value: unknown, gone: FieldSet, list: ListShape): unknown {
  if (!Array.isArray(value) || list.how === 'atomic') return null;
  const left: unknown[] = [];
  for (const item of value) {
    const node = gone.below.get(stepOf(list, item) ?? '');
    if (node?.own) continue;
    left.push(node === undefined || isEmpty(node) ? item : removeFields(item, node, list.of));
  }
  return left.length > 0 ? left : null;
}

function removeEntries(value: unknown, gone: FieldSet, map: MapShape): unknown {
  if (!isObject(value) || map.atomic) return null;
  const left = {};
  for (const key of Object.keys(value)) {
    const node = gone.below.get(fieldStep(key));
    if (node?.own) continue;
    const entry = value[key];
    setKey(left, key, node === undefined ? entry : removeFields(entry, node, shapeOfField(map, key)));
  }
  return Object.keys(left).length > 0 ? left : null;
}
