import { Composer, CST, type Document, isScalar, Lexer, LineCounter, type Pair, Parser, visit } from 'yaml';
import { badRequest } from '../../versions/refusal.ts';
import { expandedSize } from './expanded-size.ts';
import { resolveMergeKeys } from './merge-keys.ts';
import { BeyondLimits, maxDepth, maxDuplicates, type ParsedText, tooDeep } from './parse-limits.ts';
import { keepWrittenVersion } from './written-version.ts';

/** Parsing blocks the event loop, and so all other requests: these limits keep it at about 100 ms. */
const maxLength = 1.5 * 1024 * 1024;
/** A text of many lines is one token. Each of its lines is read and joined on its own. */
const maxLines = 150_000;
const maxTokens = 75_000;
/** Keys, items of block lists, and collections: they cost more than other tokens. */
const maxNodes = 12_000;
const nodeIndicators: ReadonlySet<string> = new Set([':', '-', '?', '[', '{']);
/** Anchors and aliases: resolving one alias may visit the whole document. */
const maxReferences = 50;
/** Limit of the nodes that all aliases together expand to: a "billion laughs" document is ten lines long. */
const maxAliasCount = 100;
/** Limit of the whole value with all aliases written out: the API server's own limit of a body. */
const maxExpandedLength = 3 * 1024 * 1024;
const maxDocuments = 100;

const options = {
  prettyErrors: false,
  // Duplicate keys are found below, with their paths.
  uniqueKeys: false,
  stringKeys: true,
  schema: 'core',
  resolveKnownTags: false,
  logLevel: 'silent',
} as const;

/**
 * `lenient` reads what an API server reads, to learn whether a body that is refused names a version: the first of several
 * documents, whatever its tags.
 */
export type Strictness = 'strict' | 'lenient';

/** Parses one YAML document to plain values. Errors name the position, never the text, which may be secret. */
export function parseYaml(text: string, strictness: Strictness = 'strict'): ParsedText {
  if (text.length > maxLength || hasMoreLines(text, maxLines)) throw tooLarge();
  const { document, references } = compose(text, strictness);
  if (document === undefined) return { value: undefined, duplicates: [] };
  keepWrittenVersion(document);
  const value = plainValue(document, { hasReferences: references > 0, mayMerge: text.includes('<<') });
  return { value, duplicates: duplicatesIn(document) };
}

/** Lexes, parses and composes token by token, so that a text beyond a limit is refused before it costs more. */
function compose(
  text: string,
  strictness: Strictness,
): { document: Document.Parsed | undefined; references: number } {
  const lines = new LineCounter();
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const composer = composerUntilError(lines, strictness);
  let document: Document.Parsed | undefined;
  let documents = 0;
  const add = (composed: Document.Parsed) => {
    const problem = [...composed.errors, ...composed.warnings].find(
      ({ code }) => !isIgnored(code, strictness),
    );
    if (problem !== undefined) throw invalidYaml(problem.code, problem.pos[0], lines);
    documents += 1;
    if (documents > maxDocuments) throw severalDocuments();
    // A separator at the end of a file starts an empty document.
    if (isNothing(composed.contents)) return;
    if (document !== undefined && strictness === 'lenient') return;
    if (document !== undefined) throw severalDocuments();
    document = composed;
  };
  const take = (token: CST.Token) => {
    if (token.type === 'error') throw invalidYaml('UNEXPECTED_TOKEN', token.offset, lines);
    for (const composed of composer.next(token)) add(composed);
  };
  const references = lex(text, parser, take);
  for (const token of parser.end()) take(token);
  for (const composed of composer.end()) add(composed);
  return { document, references };
}

/**
 * A composer that ends at the first error or warning. A text may have a million errors, and the composer would create an
 * object for each. When a later release of `yaml` renames the property, errors are found at the end of the document.
 */
function composerUntilError(lines: LineCounter, strictness: Strictness): Composer {
  const composer = new Composer(options);
  let first: Error | undefined;
  const onError = (source: number | readonly [number, ...number[]] | { offset: number }, code: string) => {
    if (isIgnored(code, strictness)) return;
    const offset = typeof source === 'number' ? source : 'offset' in source ? source.offset : source[0];
    // The composer reports what is thrown as another error.
    first ??= invalidYaml(code, offset, lines);
    throw first;
  };
  return Object.defineProperty(composer, 'onError', { value: onError });
}

function isIgnored(code: string, strictness: Strictness): boolean {
  return strictness === 'lenient' && code === 'TAG_RESOLVE_FAILED';
}

function hasMoreLines(text: string, limit: number): boolean {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    lines += 1;
    if (lines > limit) return true;
  }
  return false;
}

/** Returns the number of anchors and aliases. */
function lex(text: string, parser: Parser, take: (token: CST.Token) => void): number {
  let [tokens, nodes, references] = [0, 0, 0];
  let isContent = false;
  for (const lexeme of new Lexer().lex(text)) {
    tokens += 1;
    if (!isContent && nodeIndicators.has(lexeme)) nodes += 1;
    if (tokens > maxTokens || nodes > maxNodes) throw tooLarge();
    if (!isContent && (lexeme.startsWith('&') || lexeme.startsWith('*'))) references += 1;
    if (references > maxReferences)
      throw new BeyondLimits(
        `the body has more than ${maxReferences} YAML anchors and aliases; write the values out`,
      );
    isContent = lexeme === CST.SCALAR;
    for (const token of parser.next(lexeme)) take(token);
    // The stack holds the open collections, the document and the value that is being read.
    if (parser.stack.length > maxDepth + 2) throw tooDeep();
  }
  return references;
}

interface Content {
  hasReferences: boolean;
  mayMerge: boolean;
}

function plainValue(document: Document.Parsed, { hasReferences, mayMerge }: Content): unknown {
  const value = mayMerge ? resolveMergeKeys(resolved(document, true)) : resolved(document, false);
  if (!hasReferences) return value;
  const { length, depth } = expandedSize(value);
  if (length > maxExpandedLength)
    throw new BeyondLimits(
      `the YAML aliases in the body expand to themselves or to more than ${maxExpandedLength} characters; write the values out`,
    );
  if (depth > maxDepth) throw tooDeep();
  return value;
}

function resolved(document: Document.Parsed, mapAsMap: boolean): unknown {
  try {
    return document.toJS({ maxAliasCount, mapAsMap });
  } catch {
    throw new BeyondLimits(
      'the YAML aliases in the body expand to too many nodes or name no anchor; write the values out',
    );
  }
}

function isNothing(contents: unknown): boolean {
  return contents === null || (isScalar(contents) && contents.value === null && !contents.source);
}

function duplicatesIn(document: Document.Parsed): string[] {
  const duplicates: string[] = [];
  visit(document, {
    Map(_, map, path) {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        const name = keyOf(key);
        if (seen.has(name)) duplicates.push([...keysOf(path), name].join('.'));
        if (duplicates.length === maxDuplicates) return visit.BREAK;
        seen.add(name);
      }
      return undefined;
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

function invalidYaml(code: string, offset: number, lines: LineCounter) {
  const { line, col } = lines.linePos(offset);
  return badRequest(`the body is not valid YAML: ${code} at line ${line}, column ${col}`);
}

function severalDocuments() {
  return badRequest('the body has several YAML documents; send one document per request');
}

function tooLarge() {
  return new BeyondLimits('the YAML body is too large to parse; send it as JSON');
}
