import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';

/** Which folders of src each folder may import (DESIGN §8). A folder may always import itself. */
const allowed: Record<string, readonly string[]> = {
  api: [],
  core: ['api'],
  platform: ['api'],
  kube: ['api', 'platform'],
  view: ['api', 'core'],
  controller: ['api', 'core', 'platform', 'kube'],
  gateway: ['api', 'core', 'platform', 'kube', 'view'],
  agent: ['api', 'core', 'platform', 'kube'],
  local: ['api', 'platform', 'kube'],
  cli: ['api', 'core', 'platform', 'kube', 'view'],
};

/** Entry points wire everything together. */
const mayImportAll = 'bin';

/** A package, or a folder inside of one of ours, that only some files may import. */
const reserved = [
  {
    what: (target: string) =>
      target === '@kubernetes/client-node' || target.startsWith('@kubernetes/client-node/'),
    unless: (file: string) => file.startsWith('src/kube/identity/'),
    because:
      'only src/kube/identity uses @kubernetes/client-node; the rest must stay small and run under Bun',
  },
  {
    what: (target: string) => target.startsWith('src/kube/identity/'),
    unless: (file: string) => !file.startsWith('src/agent/'),
    because: 'the agent ships as one small binary and must not carry src/kube/identity',
  },
];

export interface Violation {
  file: string;
  line: number;
  imports: string;
  because: string;
}

/** Every import in `files` (relative to `root`) that points against an arrow. */
export function findViolations(root: string, files: readonly string[]): Violation[] {
  return files.flatMap((file) => checkSource(file, readFileSync(path.join(root, file), 'utf8')));
}

export function checkSource(file: string, source: string): Violation[] {
  return importsOf(file, source).flatMap(({ specifier, line }) => {
    const target = resolve(file, specifier);
    const because = forbidden(file, target);
    return because === undefined ? [] : [{ file, line, imports: target, because }];
  });
}

function forbidden(file: string, target: string): string | undefined {
  const from = folderOf(file);
  if (from === undefined) return undefined;
  for (const rule of reserved) {
    if (rule.what(target) && !rule.unless(file)) return rule.because;
  }
  const isTest = file.endsWith('.test.ts');
  if (!isTest && /^(test|tools)\//.test(target)) return 'src must not depend on test or tools';
  const to = folderOf(target);
  if (to === undefined || to === from || from === mayImportAll) return undefined;
  const may = allowed[from];
  if (may === undefined) return `src/${from} has no arrows yet: add it to tools/arrows.ts and DESIGN §8`;
  if (may.includes(to)) return undefined;
  return `src/${from} may import ${may.length === 0 ? 'nothing' : may.map((name) => `src/${name}`).join(', ')}`;
}

/** `src/kube/watch/store.ts` → `kube`; nothing outside of src has arrows. */
function folderOf(file: string): string | undefined {
  return /^src\/([^/]+)\//.exec(file)?.[1];
}

function resolve(file: string, specifier: string): string {
  return specifier.startsWith('.') ? path.posix.join(path.posix.dirname(file), specifier) : specifier;
}

function importsOf(file: string, source: string): { specifier: string; line: number }[] {
  const { module, errors } = parseSync(file, source);
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`);
  const found: { specifier: string; start: number }[] = [];
  for (const entry of module.staticImports) {
    found.push({ specifier: entry.moduleRequest.value, start: entry.start });
  }
  for (const entry of module.staticExports.flatMap((statement) => statement.entries)) {
    if (entry.moduleRequest) found.push({ specifier: entry.moduleRequest.value, start: entry.start });
  }
  for (const entry of module.dynamicImports) {
    const text = source.slice(entry.moduleRequest.start, entry.moduleRequest.end);
    found.push({ specifier: text.replace(/^['"`]|['"`]$/g, ''), start: entry.start });
  }
  return found.map(({ specifier, start }) => ({
    specifier,
    line: source.slice(0, start).split('\n').length,
  }));
}
