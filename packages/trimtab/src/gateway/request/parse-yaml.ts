import { isScalar, Lexer, LineCounter, type Pair, parseAllDocuments, visit } from 'yaml';
import { badRequest } from '../../versions/refusal.ts';
import type { ParsedText } from './parse-body.ts';
import { keepWrittenVersion } from './written-version.ts';

/** About 14,000 keys. Parsing more would block the event loop, and so all other requests, for too long. */
const maxTokens = 100_000;
/** Limit of the nodes that all aliases together expand to: a "billion laughs" document is ten lines long. */
const maxAliasCount = 100;

/** Parses one YAML document to plain values. Errors name the position, never the text, which may be secret. */
export function parseYaml(text: string): ParsedText {
  refuseTooLong(text);
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter,
    prettyErrors: false,
    // Duplicate keys are found below, with their paths.
    uniqueKeys: false,
    stringKeys: true,
    schema: 'core',
    resolveKnownTags: false,
    logLevel: 'silent',
  });
  const all = Array.isArray(documents) ? documents : [];
  const problem = all.flatMap(({ errors, warnings }) => [...errors, ...warnings])[0];
  if (problem !== undefined) {
    const { line, col } = lineCounter.linePos(problem.pos[0]);
    throw badRequest(`the body is not valid YAML: ${problem.code} at line ${line}, column ${col}`);
  }
  const [document, ...more] = all.filter(({ contents }) => !isNothing(contents));
  if (document === undefined) return { value: undefined, duplicates: [] };
  if (more.length > 0)
    throw badRequest(`the body has ${more.length + 1} YAML documents; send one document per request`);
  keepWrittenVersion(document);
  try {
    const value = document.toJS({ maxAliasCount });
    // Throws for a value that contains itself.
    JSON.stringify(value);
    return { value, duplicates: duplicatesIn(document) };
  } catch {
    throw badRequest(
      'the YAML aliases in the body expand to too many nodes or to themselves; write the values out',
    );
  }
}

/** A separator at the end of a file starts an empty document. */
function isNothing(contents: unknown): boolean {
  return contents === null || (isScalar(contents) && contents.value === null && !contents.source);
}

function refuseTooLong(text: string): void {
  let tokens = 0;
  for (const _ of new Lexer().lex(text)) {
    tokens += 1;
    if (tokens > maxTokens) throw badRequest('the YAML body is too large to parse; send it as JSON');
  }
}

function duplicatesIn(document: Parameters<typeof visit>[0]): string[] {
  const duplicates: string[] = [];
  visit(document, {
    Map(_, map, path) {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        const name = keyOf(key);
        if (seen.has(name)) duplicates.push([...keysOf(path), name].join('.'));
        seen.add(name);
      }
    },
  });
  return duplicates;
}

function keysOf(path: readonly unknown[]): string[] {
  return path.flatMap((node) => {
    const key = (node as Partial<Pair>)?.key;
    return key === undefined ? [] : [keyOf(key)];
  });
}

function keyOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}
