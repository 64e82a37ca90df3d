import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { parseDocument } from 'yaml';
import { isRecord, type NamedEntry } from './kubeconfig-entries.ts';
import type { KubeconfigSource } from './load-access.ts';
import { unusable } from './unusable.ts';

export interface Kubeconfig {
  /** Paths of the files, for error messages. */
  origin: string;
  currentContext: string | undefined;
  clusters: NamedEntry[];
  users: NamedEntry[];
  contexts: NamedEntry[];
}

/** Merges files as kubectl does: the first file wins for entries with the same name and for the current context. */
export async function readKubeconfig({ files, mayBeMissing }: KubeconfigSource): Promise<Kubeconfig> {
  const origin = files.join(', ');
  const merged: Kubeconfig = { origin, currentContext: undefined, clusters: [], users: [], contexts: [] };
  let found = 0;
  for (const file of files) {
    const text = await readText(file, mayBeMissing);
    if (text === undefined) continue;
    found++;
    addFile(merged, file, parse(text, file));
  }
  if (found === 0) throw unusable(`None of the files in KUBECONFIG exists: ${origin}.`);
  return merged;
}

async function readText(file: string, mayBeMissing: boolean): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if (mayBeMissing && cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')
      return undefined;
    throw unusable(`The kubeconfig ${file} cannot be read.`, cause);
  }
}

/**
 * The error message contains only the position, because the parser's message quotes the line, which may hold a token.
 */
function parse(text: string, file: string): Record<string, unknown> {
  const document = parseDocument(text);
  const problem = document.errors[0];
  if (problem !== undefined) {
    const { line, col } = problem.linePos?.[0] ?? { line: 1, col: 1 };
    throw unusable(
      `The kubeconfig ${file} is not valid YAML: ${problem.code} at line ${line}, column ${col}.`,
    );
  }
  const value: unknown = document.toJS();
  if (!isRecord(value)) throw unusable(`The kubeconfig ${file} is empty or not a YAML mapping.`);
  return value;
}

function addFile(merged: Kubeconfig, file: string, content: Record<string, unknown>): void {
  const folder = dirname(file);
  for (const kind of ['clusters', 'users', 'contexts'] as const) {
    for (const entry of entriesOf(content[kind], kind, file)) {
      if (merged[kind].some(({ name }) => name === entry.name)) continue;
      merged[kind].push(withAbsolutePaths(entry, folder));
    }
  }
  const current = content['current-context'];
  if (typeof current === 'string' && current !== '') merged.currentContext ??= current;
}

function entriesOf(value: unknown, kind: string, file: string): NamedEntry[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw unusable(`The kubeconfig ${file} is invalid: '${kind}' must be a list.`);
  return value.map((entry: unknown, index) => {
    if (isRecord(entry) && typeof entry['name'] === 'string') return { ...entry, name: entry['name'] };
    throw unusable(`The kubeconfig ${file} is invalid: ${kind}[${index}] has no name.`);
  });
}

const fileFields = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'];

/** Relative paths are resolved against the folder of the kubeconfig, not against the working directory. */
function withAbsolutePaths(entry: NamedEntry, folder: string): NamedEntry {
  const result: NamedEntry = { ...entry };
  for (const part of ['cluster', 'user']) {
    const body = entry[part];
    if (isRecord(body)) result[part] = bodyWithAbsolutePaths(body, folder);
  }
  return result;
}

function bodyWithAbsolutePaths(body: Record<string, unknown>, folder: string): Record<string, unknown> {
  const result = { ...body };
  for (const field of fileFields) {
    const path = body[field];
    if (typeof path === 'string' && path !== '' && !isAbsolute(path)) result[field] = join(folder, path);
  }
  const exec = body['exec'];
  // A command without a slash is looked up in PATH.
  if (isRecord(exec) && typeof exec['command'] === 'string' && exec['command'].includes(sep))
    result['exec'] = { ...exec, command: absolute(exec['command'], folder) };
  return result;
}

function absolute(path: string, folder: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}
