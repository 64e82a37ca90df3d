import { scanJson } from '@trimtab/kube/json/scan-json.ts';
import { badRequest } from '../../versions/refusal.ts';
import type { BodyFormat } from './content-type.ts';
import { parseYaml } from './parse-yaml.ts';
import { textOf } from './read-body.ts';
import { keepWrittenJsonVersion } from './written-version.ts';

export interface ParsedText {
  /** Undefined for an empty body, or for YAML with only comments. */
  value: unknown;
  /** Paths of keys that occur twice in one object: the author may mean one value while the parser takes the other. */
  duplicates: string[];
}

const maxDepth = 100;

/** Parses a body to plain values. Throws a 400 with the position of a syntax error. */
export function parseBody(body: Buffer, format: BodyFormat): ParsedText {
  const text = textOf(body);
  if (text.trim() === '') return { value: undefined, duplicates: [] };
  return format === 'yaml' ? parseYaml(text) : parseJson(text);
}

export function refuseDuplicates({ duplicates }: ParsedText): void {
  if (duplicates.length === 0) return;
  const fields = duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`);
  throw badRequest(`strict decoding error: ${fields.join(', ')}`);
}

function parseJson(text: string): ParsedText {
  const { errorAt, tooDeep, duplicates } = scanJson(text, { maxDepth });
  if (tooDeep !== undefined) throw badRequest(`the body is nested too deeply: more than ${maxDepth} levels`);
  if (errorAt !== undefined) {
    const before = text.slice(0, errorAt).split('\n');
    const column = (before.at(-1) ?? '').length + 1;
    throw badRequest(`the body is not valid JSON: syntax error at line ${before.length}, column ${column}`);
  }
  const value: unknown = JSON.parse(text);
  keepWrittenJsonVersion(text, value);
  return { value, duplicates: duplicates.map(({ path }) => path) };
}
