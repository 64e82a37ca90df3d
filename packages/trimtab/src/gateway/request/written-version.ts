import { scanJson } from '@trimtab/kube/json/scan-json.ts';
import { type Document, isAlias, isScalar } from 'yaml';

/** Of a config, and of a request for its current version. */
const paths = [['metadata', 'version'], ['version']];

/** A version such as 1.10 or 0x10 is the text that its author wrote, not the number that a parser reads. */
export function keepWrittenVersion(document: Document): void {
  for (const path of paths) {
    const node = document.getIn(path, true);
    const scalar = isAlias(node) ? node.resolve(document) : node;
    if (isScalar(scalar) && isUnquoted(scalar.value) && scalar.source !== undefined)
      document.setIn(path, scalar.source);
  }
}

/** The same for JSON. `value` is the parsed text, and is changed. */
export function keepWrittenJsonVersion(text: string, value: unknown): void {
  const metadata = (value as { metadata?: unknown } | null | undefined)?.metadata;
  for (const [name, parent] of [
    ['version', value],
    ['metadata.version', metadata],
  ] as const) {
    if (!hasUnquotedVersion(parent)) continue;
    const at = scanJson(text, { wanted: new Set([name]) }).positions.get(name);
    const [, key = '""', written] = (at === undefined ? null : keyAndValue.exec(text.slice(at))) ?? [];
    // A single key "metadata.version" has the same path.
    if (written !== undefined && JSON.parse(key) === 'version') parent.version = written;
  }
}

function hasUnquotedVersion(parent: unknown): parent is { version: unknown } {
  return (
    typeof parent === 'object' &&
    parent !== null &&
    Object.hasOwn(parent, 'version') &&
    isUnquoted((parent as { version: unknown }).version)
  );
}

const keyAndValue = /^("(?:[^"\\]|\\.)*")\s*:\s*([-+.\w]+)/;

function isUnquoted(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}
