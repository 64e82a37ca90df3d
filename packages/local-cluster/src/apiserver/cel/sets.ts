import type { Environment } from '@marcbachmann/cel-js';
import { equal } from '../object.ts';

class SetFunctions {}

/** Registers CEL's functions on lists as sets: `sets.contains(list, sublist)` and so on. */
export function registerSets(environment: Environment): void {
  environment.registerType('setFunctions', SetFunctions);
  environment.registerConstant('sets', 'setFunctions', new SetFunctions());
  const has = (list: unknown[], wanted: unknown) => list.some((each) => equal(each, wanted));
  const contains = (list: unknown[], sublist: unknown[]) => sublist.every((each) => has(list, each));
  const method = (name: string, of: (a: unknown[], b: unknown[]) => boolean) =>
    environment.registerFunction(
      `setFunctions.${name}(list, list): bool`,
      (_: unknown, a: unknown[], b: unknown[]) => of(a, b),
    );
  method('contains', contains);
  method('equivalent', (a, b) => contains(a, b) && contains(b, a));
  method('intersects', (a, b) => a.some((each) => has(b, each)));
}
