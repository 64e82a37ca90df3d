import { type ApiObject, isObject } from '../object.ts';
import type { Conflict } from './apply-config.ts';
import { compare } from './compare.ts';
import { difference, emptySet, type FieldSet, hasPath, union } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import type { Shape } from './shape.ts';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Drops conflicts with fields that client-side `kubectl apply` wrote and that have not changed since. The annotation
 * of kubectl identifies these fields.
 */
export function realConflicts(
  conflicts: readonly Conflict[],
  live: ApiObject,
  apiVersion: string,
  shape: Shape,
): readonly Conflict[] {
  const mine = lastApplied(live, apiVersion, shape);
  return conflicts.filter(({ path }) => !hasPath(mine, path));
}

function lastApplied(live: ApiObject, apiVersion: string, shape: Shape): FieldSet {
  const text = live.metadata.annotations?.[annotation];
  const config = text === undefined ? undefined : parsed(text);
  if (!isObject(config) || config['apiVersion'] !== apiVersion) return emptySet();
  const { added, modified, removed } = compare(config, live, shape);
  return difference(fieldsOf(config, shape), union(union(added, modified), removed));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Keeps kubectl's annotation up to date for users who return to client-side apply. Mutates the object. */
export function refreshLastApplied(object: ApiObject, config: Record<string, unknown>): void {
  const { annotations } = object.metadata;
  if (!annotations?.[annotation]) return;
  annotations[annotation] = `${JSON.stringify(sorted(withoutAnnotation(config)))}\n`;
}

function withoutAnnotation(config: Record<string, unknown>): Record<string, unknown> {
  const { metadata } = config;
  if (!isObject(metadata) || !isObject(metadata['annotations'])) return config;
  const { [annotation]: _, ...annotations } = metadata['annotations'];
  return { ...config, metadata: { ...metadata, annotations } };
}

/** Sorts keys as Go does when it prints maps. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
