import path from 'node:path';
import type { DownwardItem, KeyToPath, Pod } from '../../objects/pod.ts';
import { ConfigProblem, gathered } from '../configs/config-problem.ts';
import type { Config, ConfigKind } from '../configs/read-config.ts';
import { metadataField } from '../environment/pod-field.ts';
import { resourceValue } from '../environment/resource-value.ts';

interface VolumeFile {
  data: Buffer;
  mode: number;
}

/** Desired files of a volume, by path within the volume. */
export type Payload = Map<string, VolumeFile>;

/** Fallback for a spec that was not defaulted by the API server. */
export const usualMode = 0o644;

interface ConfigSource {
  items?: KeyToPath[];
  optional?: boolean;
}

/** Files of a ConfigMap or Secret: every key, or the keys and paths that `items` names. */
export function configPayload(
  kind: ConfigKind,
  { items = [], optional = false }: ConfigSource,
  config: Config | undefined,
  defaultMode: number,
): Payload {
  const files = config?.files ?? new Map<string, Buffer>();
  if (items.length === 0)
    return new Map([...files].map(([key, data]) => [key, { data, mode: defaultMode }] as const));
  const payload: Payload = new Map();
  for (const { key, path: where, mode = defaultMode } of items) {
    const data = files.get(key);
    if (data !== undefined) payload.set(where, { data, mode });
    else if (!optional) throw new ConfigProblem(missingKey(kind, key));
  }
  return payload;
}

function missingKey(kind: ConfigKind, key: string): string {
  return kind === 'secret'
    ? `references non-existent secret key: ${key}`
    : `configmap references non-existent config key: ${key}`;
}

export function downwardPayload(
  items: readonly DownwardItem[],
  facts: { pod: Pod; allocatable: Record<string, string> },
  defaultMode: number,
): Payload {
  const payload: Payload = new Map();
  gathered(items, ({ path: where, fieldRef, resourceFieldRef, mode = defaultMode }) => {
    let text = '';
    if (fieldRef !== undefined) text = metadataField(facts.pod, fieldRef.fieldPath);
    else if (resourceFieldRef !== undefined) text = resourceValue(resourceFieldRef, facts);
    payload.set(where, { data: Buffer.from(text), mode });
  });
  return payload;
}

/** The payload by normalized paths. Rejects paths outside the volume and `..` prefixes, which the writer reserves. */
export function checkedPayload(payload: Payload): Payload {
  const clean: Payload = new Map();
  for (const [where, file] of payload) {
    const problem = pathProblem(where);
    if (problem !== undefined) throw new ConfigProblem(`invalid path: ${problem}`);
    clean.set(path.posix.normalize(where), file);
  }
  for (const where of clean.keys())
    for (let up = path.posix.dirname(where); up !== '.'; up = path.posix.dirname(up))
      if (clean.has(up)) throw new ConfigProblem(`invalid path: ${where} is below ${up}, which is a file`);
  return clean;
}

function pathProblem(where: string): string | undefined {
  if (where === '') return 'must not be empty: ""';
  if (where.startsWith('/')) return `must be relative path: ${where}`;
  if (where.length > 4096) return 'must be less than or equal to 4096 characters';
  if (where.includes('\0')) return `must not contain a nul byte: ${JSON.stringify(where)}`;
  const names = where.split('/');
  if (names.includes('..')) return `must not contain '..': ${where}`;
  if (names.some((name) => Buffer.byteLength(name) > 255))
    return 'filenames must be less than or equal to 255 characters';
  if (path.posix.normalize(where).startsWith('..')) return `must not start with '..': ${where}`;
  if (/^\.?\/*$/.test(path.posix.normalize(where))) return `must name a file: ${where}`;
  return undefined;
}
