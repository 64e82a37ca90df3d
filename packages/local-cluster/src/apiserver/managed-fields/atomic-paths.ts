import { isObject } from '../object.ts';
import { formOf, type Shape } from './shape.ts';

/** Returns the paths of all values that are owned as a whole: `.spec.selector`, `.spec.containers[0].command`. */
export function atomicPaths(value: unknown, shape: Shape, path = ''): string[] {
  const form = formOf(shape, value);
  if (form.is === 'map' && isObject(value)) {
    const below = Object.keys(value)
      .filter((key) => form.fields.has(key))
      .flatMap((key) => atomicPaths(value[key], form.fields.get(key)?.shape ?? shape, `${path}.${key}`));
    return form.atomic ? [path, ...below] : below;
  }
  if (form.is === 'list' && Array.isArray(value)) {
    const below = value.flatMap((each, index) => atomicPaths(each, form.of, `${path}[${index}]`));
    return form.how === 'atomic' ? [path, ...below] : below;
  }
  return [];
}
