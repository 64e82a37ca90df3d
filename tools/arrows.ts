import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';

/** The packages that each package may import, besides itself. */
const packages: Record<string, readonly string[]> = {
  kube: [],
  trimtab: ['kube'],
  'local-cluster': ['kube'],
  'test-bed': ['kube', 'local-cluster'],
  demo: ['kube', 'local-cluster', 'trimtab'],
};

/** The packages that the tests of a package may import in addition. */
const forTests: Record<string, readonly string[]> = {
  kube: ['test-bed'],
  trimtab: ['test-bed', 'local-cluster'],
  'local-cluster': ['test-bed'],
  'test-bed': [],
  demo: ['test-bed'],
};

/** The folders of packages/trimtab/src that each folder may import, and what it may import of kube. */
const folders: Record<string, { folders: readonly string[]; kube: 'all' | 'wire types' }> = {
  api: { folders: [], kube: 'wire types' },
  core: { folders: ['api'], kube: 'wire types' },
  versions: { folders: ['api', 'core'], kube: 'all' },
  view: { folders: ['api', 'core'], kube: 'wire types' },
  controller: { folders: ['api', 'core', 'versions'], kube: 'all' },
  gateway: { folders: ['api', 'core', 'versions', 'view'], kube: 'all' },
  agent: { folders: ['api', 'core'], kube: 'all' },
  cli: { folders: ['api', 'core', 'versions', 'view'], kube: 'all' },
};

/** Entry points may import every folder. */
const entryPoints = 'packages/trimtab/src/bin/';

/** Entry points that work in a checkout only, and the package that each of them may import. */
const checkoutOnly: Record<string, string> = {
  [`${entryPoints}local.ts`]: 'local-cluster',
  [`${entryPoints}up.ts`]: 'demo',
};

/** The types of Kubernetes' wire format. The file has no code at run time. */
const wireTypes = 'packages/kube/src/wire.ts';

/** Imports that only some files may use. */
const reserved = [
  {
    what: (target: string) =>
      target === '@kubernetes/client-node' || target.startsWith('@kubernetes/client-node/'),
    unless: (file: string) => file.startsWith('packages/kube/src/identity/'),
    because:
      'only packages/kube/src/identity may import @kubernetes/client-node; the rest must stay small and run under Bun',
  },
  {
    what: (target: string) => target.startsWith('packages/kube/src/identity/'),
    unless: (file: string) => !file.startsWith('packages/trimtab/src/agent/'),
    because: 'the agent ships as one small binary and must not contain packages/kube/src/identity',
  },
];

export interface Violation {
  file: string;
  line: number;
  imports: string;
  because: string;
}

/** Returns the forbidden imports in `files`, whose paths are relative to `root`. */
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
  const from = packageOf(file);
  if (from === undefined) return undefined;
  const rule = reserved.find(({ what, unless }) => what(target) && !unless(file));
  if (rule !== undefined) return rule.because;
  if (/^(tools|bench)\//.test(target)) return 'packages must not depend on tools or bench';
  const to = packageOf(target);
  if (to === undefined) return undefined;
  return to === from ? withinPackage(file, target) : betweenPackages(file, from, target, to);
}

function withinPackage(file: string, target: string): string | undefined {
  if (!isTest(file) && isTest(target)) return 'sources must not depend on tests';
  // Its version is part of the program.
  if (target === 'packages/trimtab/package.json') return undefined;
  if (/^packages\/trimtab\/src\/[^/]+$/.test(file))
    return 'a source of trimtab belongs in a folder, which has import rules';
  if (target === 'packages/trimtab/package.json') return undefined;
  const [from, to] = [folderOf(file), folderOf(target)];
  if (isTest(file) || from === undefined || from === to || file.startsWith(entryPoints)) return undefined;
  const may = folders[from];
  if (may === undefined) return `packages/trimtab/src/${from} has no import rules: add it to tools/arrows.ts`;
  if (to !== undefined && may.folders.includes(to)) return undefined;
  return `${from} may import ${may.folders.length === 0 ? 'no other folder' : may.folders.join(', ')} of the package`;
}

function betweenPackages(file: string, from: string, target: string, to: string): string | undefined {
  if (isTest(target)) return 'the tests of a package must not be imported by other packages';
  const may = [...(packages[from] ?? []), ...(isTest(file) ? (forTests[from] ?? []) : [])];
  if (!may.includes(to) && checkoutOnly[file] !== to)
    return `${from} may import ${may.length === 0 ? 'no other package' : may.join(', ')}`;
  const folder = folders[folderOf(file) ?? ''];
  if (isTest(file) || folder?.kube !== 'wire types' || target === wireTypes) return undefined;
  return `${folderOf(file)} may import only the types in ${wireTypes} of other packages`;
}

/** `packages/kube/src/watch/store.ts` → `kube`. Tools and benchmarks are in no package and may import everything. */
function packageOf(file: string): string | undefined {
  return /^(?:packages\/([^/]+)|(demo))\//.exec(file)?.slice(1).find(Boolean);
}

/** `packages/trimtab/src/core/version/ledger.ts` → `core`; undefined for other packages. */
function folderOf(file: string): string | undefined {
  return /^packages\/trimtab\/src\/([^/]+)\//.exec(file)?.[1];
}

/** The sources of the test bed are not tests, although only tests use them. */
function isTest(file: string): boolean {
  return file.endsWith('.test.ts') || /^(packages\/[^/]+|demo)\/test\//.test(file);
}

/** Returns the repository path of an imported file. An import of an npm package keeps its name. */
function resolve(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(file), specifier);
  if (specifier.startsWith('@trimtab/demo/')) return specifier.slice('@trimtab/'.length);
  return specifier.replace(
    /^(?:@trimtab\/([^/]+)|(trimtab))\/(.*)$/,
    (_, scoped, plain, rest) => `packages/${scoped ?? plain}/src/${rest}`,
  );
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
