import { Reflector, type ReflectorOptions } from './reflector.ts';
import { ReflectorPerNamespace } from './reflector-per-namespace.ts';

/** What callers use of the watch of one collection, in one or several namespaces. */
export type Reflected<T, Index extends string = never> = Pick<
  Reflector<T, Index>,
  'name' | 'cache' | 'syncs' | 'health' | 'subscribe' | 'waitForSync' | 'note' | 'run'
>;

/** Watches a collection in these namespaces; optional, defaults to all namespaces. */
export function reflect<T, Index extends string = never>(
  options: Omit<ReflectorOptions<T, Index>, 'namespace'>,
  namespaces?: readonly string[],
): Reflected<T, Index> {
  const [only, ...others] = options.resource.namespaced ? (namespaces ?? []) : [];
  if (only === undefined) return new Reflector(options);
  if (others.length === 0) return new Reflector({ ...options, namespace: only });
  return new ReflectorPerNamespace(options, [only, ...others]);
}
