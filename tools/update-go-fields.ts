import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitWithUsage, toolArguments } from '@trimtab/test-bed/tool-arguments.ts';

/**
 * Writes packages/local-cluster/src/apiserver/schemas/go-fields.json from the Go modules of the test bed. The file has
 * what OpenAPI lacks: `pointers` are scalar fields that keep a zero value (other scalar fields are omitted when zero),
 * `nulls` are times, lists and maps that the API server returns as null when they are not set, `omitted` are scalar fields that
 * are omitted when zero although their default is zero.
 *
 *     node tools/update-go-fields.ts v0.36.3
 */
const help = `Usage: node tools/update-go-fields.ts VERSION

Writes packages/local-cluster/src/apiserver/schemas/go-fields.json from the Go modules of the test bed, which
\`npm run cluster -- build\` downloads.

  VERSION     version of the module k8s.io/api, such as v0.36.3
  -h, --help  print this text
`;

const [version = '', ...more] = toolArguments({ help, allowPositionals: true }).positionals;
if (!/^v0\.\d+\.\d+$/.test(version) || more.length > 0)
  exitWithUsage(help, 'exactly one VERSION of k8s.io/api is required, such as v0.36.3');
const folder = join(import.meta.dirname, '../packages/local-cluster/src/apiserver/schemas');
const definitions = JSON.parse(readFileSync(join(folder, 'kubernetes.json'), 'utf8')) as Record<
  string,
  { properties?: Record<string, { default?: unknown }> }
>;
const modules = execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' }).trim();
const roots: Record<string, string> = {
  'io.k8s.api.': `k8s.io/api@${version}`,
  'io.k8s.apimachinery.': `k8s.io/apimachinery@${version}`,
  'io.k8s.apiextensions-apiserver.': `k8s.io/apiextensions-apiserver@${version}`,
};

const found: Record<string, { pointers?: string[]; nulls?: string[]; omitted?: string[] }> = {};
for (const name of Object.keys(definitions).sort()) {
  const [prefix, root] = Object.entries(roots).find(([each]) => name.startsWith(each)) ?? [];
  if (prefix === undefined || root === undefined) continue;
  const path = name.slice(prefix.length).split('.');
  const type = path.pop() ?? '';
  const { source, body } = readType(join(modules, root, ...path), type);
  const pointers = pointersOf(body, source);
  const nulls = [...nullTimesOf(body), ...nullListsOf(body)];
  const omitted = omittedZerosOf(body, definitions[name]?.properties ?? {});
  if (pointers.length + nulls.length + omitted.length === 0) continue;
  found[name] = {
    ...(pointers.length > 0 && { pointers }),
    ...(nulls.length > 0 && { nulls }),
    ...(omitted.length > 0 && { omitted }),
  };
}
const lines = Object.entries(found).map(
  ([name, fields]) => `${JSON.stringify(name)}: ${JSON.stringify(fields)}`,
);
writeFileSync(join(folder, 'go-fields.json'), `{\n${lines.join(',\n')}\n}\n`);

function readType(package_: string, type: string): { source: string; body: string } {
  const sources = globSync('*types*.go', { cwd: package_ }).map((file) =>
    readFileSync(join(package_, file), 'utf8'),
  );
  const source = sources.join('\n');
  return {
    source,
    body: new RegExp(`^type ${type} struct \\{\\n([\\s\\S]*?)^\\}`, 'm').exec(source)?.[1] ?? '',
  };
}

function pointersOf(body: string, source: string): string[] {
  return [...body.matchAll(/^\s*\w+\s+\*([\w.]+)\s+`[^`]*json:"(\w+)/gm)].flatMap(
    ([, of = '', field = '']) => (isScalar(of, source) ? [field] : []),
  );
}

function nullTimesOf(body: string): string[] {
  const times = body.matchAll(/^\s*\w+\s+(?:\w+\.)?(?:Micro)?Time\s+`[^`]*json:"(\w+)([^"]*)"/gm);
  return [...times].flatMap(([, field = '', options = '']) => (options.includes('omitzero') ? [] : [field]));
}

function nullListsOf(body: string): string[] {
  const lists = body.matchAll(/^\s*\w+\s+(?:\[\]|map\[)[\w.\]*]+\s+`[^`]*json:"(\w+)([^"]*)"/gm);
  return [...lists].flatMap(([, field = '', options = '']) => (options.includes('omitempty') ? [] : [field]));
}

function omittedZerosOf(body: string, properties: Record<string, { default?: unknown }>): string[] {
  const values = body.matchAll(/^\s*\w+\s+\w+\s+`[^`]*json:"(\w+),omitempty"/gm);
  return [...values].flatMap(([, field = '']) =>
    ['', 0, false].some((zero) => properties[field]?.default === zero) ? [field] : [],
  );
}

function isScalar(type: string, source: string): boolean {
  const basic = /^(string|bool|u?int(32|64)?|float64)$/;
  if (basic.test(type)) return true;
  if (['v1.PodFSGroupChangePolicy', 'types.UID', 'v1.Protocol', 'metav1.StatusReason'].includes(type))
    return true;
  const alias = new RegExp(`^type ${type} ([\\w.]+)$`, 'm').exec(source)?.[1];
  return alias !== undefined && basic.test(alias);
}
