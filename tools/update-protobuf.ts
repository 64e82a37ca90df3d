import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitWithUsage, toolArguments } from '@trimtab/test-bed/tool-arguments.ts';

/**
 * Writes packages/local-cluster/src/apiserver/schemas/protobuf.json from the .proto files of the test bed's Go modules.
 * The file has the field numbers of every served kind, because kubectl sends some requests as protobuf and does not fall
 * back to JSON.
 *
 *     node tools/update-protobuf.ts v0.36.3
 *
 * A field is `[number, name, type]`; a type is `string`, `bytes`, `bool`, `int`, `double` or the name of a message,
 * with the prefix `*` in a list, `%` in a map of strings, and `<` for a message whose fields are inlined in JSON.
 */
const help = `Usage: node tools/update-protobuf.ts VERSION

Writes packages/local-cluster/src/apiserver/schemas/protobuf.json from the Go modules of the test bed, which
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
  { properties?: object; 'x-kubernetes-group-version-kind'?: unknown }
>;
const modules = execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' }).trim();
const sources = ['api', 'apimachinery', 'apiextensions-apiserver'].flatMap((module) =>
  globSync(join(modules, `k8s.io/${module}@${version}/**/generated.proto`)),
);

type Field = [number: number, name: string, type: string];
const messages = new Map<string, Field[]>();
for (const file of sources) readMessages(readFileSync(file, 'utf8'));

const used = new Set<string>();
for (const [name, node] of Object.entries(definitions))
  if (node['x-kubernetes-group-version-kind']) follow(name);
const lines = [...used]
  .sort()
  .map((name) => `${JSON.stringify(name)}: ${JSON.stringify(messages.get(name))}`);
writeFileSync(join(folder, 'protobuf.json'), `{\n${lines.join(',\n')}\n}\n`);

function readMessages(source: string): void {
  const home = definitionName(/^package ([\w.]+);/m.exec(source)?.[1] ?? '');
  const text = source.replace(/\/\/.*$/gm, '');
  for (const [, message = '', body = ''] of text.matchAll(/^message (\w+) \{([\s\S]*?)^\}/gm)) {
    const owner = `${home}.${message}`;
    const fields = body.matchAll(/^\s*(optional|repeated|map<string, ?([\w.]+)>) ?([\w.]*) (\w+) = (\d+);/gm);
    messages.set(
      owner,
      [...fields].map(([, label = '', ofMap, plain = '', name = '', number = '']): Field => {
        const type = typeName(ofMap ?? plain, home);
        const mark =
          ofMap !== undefined ? '%' : label === 'repeated' ? '*' : isInline(owner, name, type) ? '<' : '';
        return [Number(number), jsonName(owner, name), `${mark}${type}`];
      }),
    );
  }
}

/** Some fields have another name in JSON: `Webhooks`, and `ref` and `xKubernetesListType` of a schema. */
function jsonName(owner: string, name: string): string {
  const properties = definitions[owner]?.properties ?? {};
  const hyphened = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const spellings = [name, `${name[0]?.toLowerCase()}${name.slice(1)}`, `$${name}`, hyphened];
  return spellings.find((each) => each in properties) ?? name;
}

function isInline(owner: string, name: string, type: string): boolean {
  const properties = definitions[owner]?.properties;
  return properties !== undefined && !(jsonName(owner, name) in properties) && type.includes('.');
}

function typeName(name: string, home: string): string {
  if (/^(string|bytes|bool|double)$/.test(name)) return name;
  if (/^u?int(32|64)$/.test(name)) return 'int';
  if (name.startsWith('.')) return definitionName(name.slice(1));
  return name.includes('.') ? definitionName(name) : `${home}.${name}`;
}

/** `k8s.io.api.core.v1` → `io.k8s.api.core.v1` */
function definitionName(name: string): string {
  return name.replace(/^k8s\.io\./, 'io.k8s.').replaceAll('_', '-');
}

function follow(name: string): void {
  const fields = messages.get(name);
  if (fields === undefined || used.has(name)) return;
  used.add(name);
  for (const [, , type] of fields) follow(type.replace(/^[*%<]/, ''));
}
