import { type JsonScan, scanJson } from '@trimtab/kube/json/scan-json.ts';
import { abbreviate } from '../../core/messages/abbreviate.ts';
import { quoted } from '../../core/messages/quoted.ts';
import { badRequest } from '../../versions/refusal.ts';
import type { BodyFormat } from './content-type.ts';
import { BeyondLimits, maxDepth, maxDuplicates, type ParsedText, tooDeep } from './parse-limits.ts';
import { parseYaml, type Strictness } from './parse-yaml.ts';
import { textOf } from './read-body.ts';
import { keepWrittenJsonVersion } from './written-version.ts';

/** Parsing blocks the event loop, and so all other requests. Configs of 3 MiB have a few thousand values. */
const maxJsonValues = 100_000;

/** Parses a body to plain values. Throws a 400 with the position of a syntax error. */
export function parseBody(body: Buffer, format: BodyFormat): ParsedText {
  return parseText(textOf(body), format, 'strict');
}

/**
 * Parses a body that `parseBody` refuses as API servers do, which accept more. Returns undefined when an API server
 * refuses the body, too. `refused`: the gateway cannot know.
 */
export function parseLeniently(body: Buffer, format: BodyFormat): ParsedText | 'refused' | undefined {
  try {
    const text = lenientText(body, format);
    return text === undefined ? undefined : parseText(text, format, 'lenient');
  } catch {
    // Both use the same grammar of JSON. Parsers of YAML differ.
    return format === 'json' ? undefined : 'refused';
  }
}

/** In JSON, an API server replaces bytes that are not UTF-8. YAML may be UTF-16. */
function lenientText(body: Buffer, format: BodyFormat): string | undefined {
  if (format === 'json') return body.toString();
  const encoding = utf16Of(body) ?? 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

/** The encoding of a text that begins with a byte order mark of UTF-16. */
export function utf16Of(body: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const mark = body.length < 2 ? 0 : body.readUInt16BE(0);
  if (mark === 0xfffe) return 'utf-16le';
  return mark === 0xfeff ? 'utf-16be' : undefined;
}

function parseText(text: string, format: BodyFormat, strictness: Strictness): ParsedText {
  if (text.trim() === '') return { value: undefined, duplicates: [] };
  if (format === 'json') return parseJson(text, scanned(text));
  // Clients send JSON as YAML, too: kubectl does so in a server-side apply. More JSON than YAML is allowed.
  const scan = text.trimStart().startsWith('{') ? scanned(text) : undefined;
  const isJson = scan !== undefined && scan.errorAt === undefined;
  return isJson ? parseJson(text, scan) : parseYaml(text, strictness);
}

export function refuseDuplicates({ duplicates }: ParsedText): void {
  if (duplicates.length === 0) return;
  const fields = abbreviate(duplicates.map((path) => `duplicate field ${quoted(path)}`));
  throw badRequest(`strict decoding error: ${fields.join(', ')}`);
}

function scanned(text: string): JsonScan {
  return scanJson(text, { maxDepth, maxValues: maxJsonValues, maxDuplicates });
}

function parseJson(text: string, scan: JsonScan): ParsedText {
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
