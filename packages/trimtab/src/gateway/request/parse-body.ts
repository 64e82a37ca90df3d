import { scanJson } from '@trimtab/kube/json/scan-json.ts';
import { abbreviate } from '../../core/messages/abbreviate.ts';
import { quoted } from '../../core/messages/quoted.ts';
import { badRequest } from '../../versions/refusal.ts';
import type { BodyFormat } from './content-type.ts';
import { BeyondLimits, maxDepth, maxDuplicates, type ParsedText, tooDeep } from './parse-limits.ts';
import { parseYaml } from './parse-yaml.ts';
import { textOf } from './read-body.ts';
import { keepWrittenJsonVersion } from './written-version.ts';

/** Parsing blocks the event loop, and so all other requests. Configs of 3 MiB have a few thousand values. */
const maxJsonValues = 100_000;

/** Parses a body to plain values. Throws a 400 with the position of a syntax error. */
export function parseBody(body: Buffer, format: BodyFormat): ParsedText {
  const text = textOf(body);
  if (text.trim() === '') return { value: undefined, duplicates: [] };
  return format === 'yaml' ? parseYaml(text) : parseJson(text);
}

export function refuseDuplicates({ duplicates }: ParsedText): void {
  if (duplicates.length === 0) return;
  const fields = abbreviate(duplicates.map((path) => `duplicate field ${quoted(path)}`));
  throw badRequest(`strict decoding error: ${fields.join(', ')}`);
}

function parseJson(text: string): ParsedText {
  const scan = scanJson(text, { maxDepth, maxValues: maxJsonValues, maxDuplicates });
  if (scan.tooDeep !== undefined) throw tooDeep();
  if (scan.tooMany)
    throw new BeyondLimits(`the body has more than ${maxJsonValues} values; split the config into several`);
  const { errorAt, duplicates } = scan;
  if (errorAt !== undefined) {
    const before = text.slice(0, errorAt).split('\n');
    const column = (before.at(-1) ?? '').length + 1;
    throw badRequest(`the body is not valid JSON: syntax error at line ${before.length}, column ${column}`);
  }
  const value: unknown = JSON.parse(text);
  keepWrittenJsonVersion(text, value);
  return { value, duplicates: duplicates.map(({ path }) => path) };
}
