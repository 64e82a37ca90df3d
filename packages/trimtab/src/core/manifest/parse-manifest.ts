import { type Document, parseAllDocuments } from 'yaml';

/**
 * Parses a manifest in YAML or JSON into its objects. Reads YAML 1.1, as kubectl does: `0400` is an octal mode there. The
 * problem shows no content, which may be secret.
 */
export function parseManifest(text: string): { objects: object[] } | { problem: string } {
  const documents = parseAllDocuments(text, {
    version: '1.1',
    merge: true,
    prettyErrors: true,
    logLevel: 'silent',
  });
  const objects: object[] = [];
  for (const [index, document] of (Array.isArray(documents) ? documents : []).entries()) {
    const [problem] = document.errors;
    if (problem !== undefined)
      return {
        problem: `document ${index + 1} is not valid YAML: ${problem.code} at line ${problem.linePos?.[0].line ?? 1}`,
      };
    const value = plainValue(document);
    if (value === undefined) return { problem: `document ${index + 1} has too many aliases` };
    if (value === null) continue;
    if (typeof value !== 'object' || Array.isArray(value))
      return { problem: `document ${index + 1} is not an object` };
    objects.push(value);
  }
  return { objects };
}

/** Aliases can multiply a small document to any size. */
function plainValue(document: Document): unknown {
  try {
    return JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 100 }) ?? null));
  } catch {
    return undefined;
  }
}
