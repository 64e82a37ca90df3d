import type { ConfigKind } from '../../core/references/references.ts';
import { usageError } from '../failure.ts';

/** A value of --from-file: `path`, or `key=path`. */
export interface FileSource {
  /** The chosen key, or the name of the file. */
  key: string;
  path: string;
  isKeyChosen: boolean;
}

/**
 * Splits a value of --from-file or --from-env-file at its commas, as kubectl does. A part with a comma is quoted:
 * `"a,b.txt",c.txt`.
 */
export function splitPaths(flag: string, text: string): string[] {
  if (text === '') return [];
  const parts: string[] = [];
  // A field in quotes, or one without any.
  const field = /("(?:[^"]|"")*"|[^",]*)(,|$)/y;
  for (;;) {
    const match = field.exec(text);
    if (match === null)
      throw usageError(
        `invalid argument ${JSON.stringify(text)} for "${flag}" flag: a quote must enclose the whole path`,
      );
    const [, part = '', end] = match;
    parts.push(part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part);
    if (end === '') return parts;
  }
}

export function parseFileSource(text: string): FileSource {
  const [first = '', second, ...more] = text.split('=');
  if (second === undefined) return { key: baseName(first), path: first, isKeyChosen: false };
  if (more.length > 0) throw usageError("key names or file paths cannot contain '='");
  if (first === '') throw usageError(`key name for file path ${second} missing`);
  if (second === '') throw usageError(`file path for key name ${first} missing`);
  return { key: first, path: second, isKeyChosen: true };
}

/** The literal of a Secret is not shown: a value without its key may be the secret itself. */
export function parseLiteral(kind: ConfigKind, text: string): { key: string; value: string } {
  const at = text.indexOf('=');
  if (at > 0) return { key: text.slice(0, at), value: text.slice(at + 1) };
  throw usageError(`invalid literal source${kind === 'Secret' ? '' : ` ${text}`}, expected key=value`);
}

/** The last part of a path, also when the path ends with a slash. */
function baseName(path: string): string {
  return /([^/]+)\/*$/.exec(path)?.[1] ?? (path === '' ? '.' : '/');
}
