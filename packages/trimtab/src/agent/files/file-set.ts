import { createHash } from 'node:crypto';
import { type Config, displayName } from '../source/config.ts';
import { pathProblem } from './relative-path.ts';

/** Where the keys of configs are written, relative to --configroot. */
export interface PathRules {
  /** Paths of single keys (--path). */
  paths: ReadonlyMap<string, string>;
  /** One folder per config, with the name of the config (--subfolders). */
  subfolders: boolean;
  /** `__` in a key separates folders (--nested-keys). */
  nestedKeys: boolean;
}

/** What identifies a set of files. */
export interface SetIdentity {
  /** Identifies paths and contents. Kept in memory and beside the files, and never logged: configs may be Secrets. */
  hash: string;
  /**
   * Identifies the versions and contents of the configs alone, when a set also has files of other origin. An application
   * is told about another set only when this hash differs. Optional; defaults to `hash`.
   */
  configHash?: string;
  sources: readonly SourceState[];
}

/** The files of one state of all configs. */
export interface FileSet extends SetIdentity {
  files: ReadonlyMap<string, Buffer>;
  /** Modes by path, of files that do not have the usual one. */
  modes?: ReadonlyMap<string, number>;
}

/** The state of a config that a set was made from. */
export interface SourceState {
  kind: string;
  namespace: string;
  name: string;
  resourceVersion: string;
  version?: string;
  object?: string;
}

export interface Composition<S extends SetIdentity = FileSet> {
  set: S;
  /** Reported, but the set is written. */
  warnings: string[];
  /** The set cannot be written. */
  problems: string[];
}

/** Maps the keys of all configs to files. Of two configs with the same path, the later one wins. */
export function composeFiles(configs: readonly Config[], rules: PathRules): Composition {
  const files = new Map<string, Buffer>();
  const origins = new Map<string, string>();
  const warnings: string[] = [];
  const problems: string[] = [];
  for (const config of configs) {
    for (const [key, content] of config.entries) {
      const path = pathOf(config.name, key, rules);
      const origin = `key '${key}' of ${displayName(config)}`;
      const problem = pathProblem(path);
      if (problem !== undefined) {
        problems.push(`${origin}: the path '${path}' ${problem}`);
        continue;
      }
      const before = origins.get(path);
      if (before !== undefined) warnings.push(`${origin} replaces ${before}: both are written to '${path}'`);
      files.set(path, content);
      origins.set(path, origin);
    }
  }
  for (const [key, path] of rules.paths)
    if (!configs.some(({ entries }) => entries.has(key)))
      warnings.push(`--path ${key}=${path}: no config has the key '${key}'`);
  problems.push(...folderConflicts(origins));
  return { set: { files, hash: hashOf(files), sources: configs.map(sourceState) }, warnings, problems };
}

/** The state of a config without its content. */
export function sourceState({
  kind,
  namespace,
  name,
  resourceVersion,
  version,
  object,
}: Config): SourceState {
  const state = { kind, namespace, name, resourceVersion };
  return {
    ...state,
    ...(version !== undefined && { version }),
    ...(object !== undefined && { object }),
  };
}

/** As logs show the sources of a set. The logger reduces a field named `object`, and the version says the same. */
export function loggedSources(sources: readonly SourceState[]): Omit<SourceState, 'object'>[] {
  return sources.map(({ object: _, ...rest }) => rest);
}

export function configHashOf({ configHash, hash }: SetIdentity): string {
  return configHash ?? hash;
}

function pathOf(config: string, key: string, { paths, subfolders, nestedKeys }: PathRules): string {
  const path = paths.get(key) ?? (nestedKeys ? key.replaceAll('__', '/') : key);
  return subfolders ? `${config}/${path}` : path;
}

/** A name cannot be both a file and a folder. */
export function folderConflicts(origins: ReadonlyMap<string, string>): string[] {
  const conflicts: string[] = [];
  for (const [path, origin] of origins) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = origins.get(path.slice(0, end));
      if (folder !== undefined)
        conflicts.push(
          `${origin} needs the folder '${path.slice(0, end)}', which ${folder} writes as a file`,
        );
    }
  }
  return conflicts;
}

export function hashOf(
  files: ReadonlyMap<string, Buffer>,
  modes: ReadonlyMap<string, number> = new Map(),
): string {
  const hash = createHash('sha256');
  for (const [path, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const mode = modes.has(path) ? ` ${modes.get(path)}` : '';
    hash.update(`${Buffer.byteLength(path)} ${path} ${content.length}${mode}\n`).update(content);
  }
  return hash.digest('hex');
}
