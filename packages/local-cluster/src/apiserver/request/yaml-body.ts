import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';

export class YamlProblem extends Error {
  override readonly name = 'YamlProblem';
}

export interface YamlBody {
  json: string;
  /** Messages about duplicate keys: `line 5: key "data" already set in map`. */
  duplicates: string[];
}

/** Resolving one alias may visit the whole document, so thousands of them would stall the server. */
const maxAliases = 500;

/** Converts YAML to JSON. Throws YamlProblem. */
export function readYaml(text: string): YamlBody {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.1',
    uniqueKeys: false,
    merge: true,
    lineCounter: lines,
  });
  const [problem] = document.errors;
  if (problem !== undefined) {
    const line = problem.linePos?.[0].line ?? 1;
    const isTab = problem.code === 'TAB_AS_INDENT';
    const what = isTab ? 'found a tab character that violates indentation' : problem.message.split('\n')[0];
    throw new YamlProblem(`yaml: line ${line}: ${what}`);
  }
  if (aliasCount(document) > maxAliases) throw new YamlProblem('yaml: document contains excessive aliasing');
  const duplicates: string[] = [];
  findDuplicates(document.contents, lines, duplicates);
  return { json: toJson(document), duplicates };
}

function aliasCount(document: Document): number {
  let count = 0;
  visit(document, {
    Alias() {
      count += 1;
    },
  });
  return count;
}

function toJson(document: Document): string {
  try {
    // The number of resolved aliases is limited: a small text must not become a huge object.
    return JSON.stringify(document.toJS({ maxAliasCount: 100 }) ?? null);
  } catch (error) {
    const message = error instanceof Error ? error.message : 'document cannot be converted to JSON';
    const anchor = /^Unresolved alias .*: (.*)$/.exec(message)?.[1];
    if (anchor !== undefined) throw new YamlProblem(`yaml: unknown anchor '${anchor}' referenced`);
    const isBomb = message.startsWith('Excessive alias count');
    throw new YamlProblem(`yaml: ${isBomb ? 'document contains excessive aliasing' : message}`);
  }
}

/** Finds duplicates in the order of Go's decoder: those inside of a value before the value itself. */
function findDuplicates(node: unknown, lines: LineCounter, found: string[]): void {
  if (isSeq(node)) for (const item of node.items) findDuplicates(item, lines, found);
  if (!isMap(node)) return;
  const keys = new Set<unknown>();
  for (const { key, value } of node.items) {
    findDuplicates(value, lines, found);
    if (!isScalar(key)) continue;
    if (keys.has(key.value))
      found.push(`line ${lineOf(value ?? key, lines)}: key ${shown(key.value)} already set in map`);
    keys.add(key.value);
  }
}

function lineOf(node: unknown, lines: LineCounter): number {
  return lines.linePos((node as Node).range?.[0] ?? 0).line;
}

function shown(key: unknown): string {
  return typeof key === 'string' ? JSON.stringify(key) : String(key);
}
