import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { exitWithUsage, toolArguments } from '@trimtab/test-bed/tool-arguments.ts';

const help = `Usage: npm run production-install -- FOLDER

Installs the product into a new folder: the packages trimtab and kube without their tests, and their dependencies. Prints the
contents and their sizes. The installed program is \`node packages/trimtab/src/bin/trimtab.ts\`.

  -h, --help  print this text

Examples
  npm run production-install -- /tmp/image
`;

/** Files for development or for the local cluster, which must not be in a production install. */
const unwanted = [
  'packages/local-cluster',
  'packages/test-bed',
  'packages/*/test',
  'packages/**/*.test.ts',
  'node_modules/@trimtab/{local-cluster,test-bed,demo}',
  'node_modules/@marcbachmann/cel-js',
  'node_modules/{ws,isomorphic-ws}',
  'node_modules/{vitest,fast-check,typescript,knip,bun}',
];

const root = path.dirname(import.meta.dirname);
const { positionals } = toolArguments({ help, allowPositionals: true });
const [folder = exitWithUsage(help, 'exactly one FOLDER is required'), ...more] = positionals;
if (more.length > 0) exitWithUsage(help, 'exactly one FOLDER is required');
if (existsSync(folder) && readdirSync(folder).length > 0) exitWithUsage(help, `${folder} is not empty`);

// The manifests list only what the two packages need; the lockfile of the repository pins the versions.
manifest('', ({ name, version, type, overrides }) => {
  return { name, version, type, private: true, workspaces: ['packages/*'], overrides };
});
cpSync(path.join(root, 'package-lock.json'), path.join(folder, 'package-lock.json'));
for (const name of ['packages/trimtab', 'packages/kube']) {
  manifest(name, ({ devDependencies: _, ...rest }) => rest);
  cpSync(path.join(root, name, 'src'), path.join(folder, name, 'src'), {
    recursive: true,
    filter: (file) => !file.endsWith('.test.ts'),
  });
}
const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
const { status, error } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 2, 2] });
if (error) throw error;
if (status !== 0) process.exit(status ?? 1);

const problems = globSync(unwanted, { cwd: folder }).map(
  (file) => `${file} must not be in a production install`,
);
const [tested, installed] = [locked(root), locked(folder)];
for (const [name, entry] of Object.entries(installed))
  if (name.startsWith('node_modules/') && !isDeepStrictEqual(entry.integrity, tested[name]?.integrity))
    problems.push(`${name} ${entry.version} differs from the version in package-lock.json of the repository`);
for (const command of ['controller', 'gateway', 'proxy', 'stamp', 'manifests']) {
  const program = path.join(folder, 'packages/trimtab/src/bin/trimtab.ts');
  const ran = spawnSync(process.execPath, [program, command, '--help'], { encoding: 'utf8' });
  if (ran.status !== 0) problems.push(`trimtab ${command} does not load: ${ran.stderr}`);
}
const local = spawnSync(process.execPath, [
  path.join(folder, 'packages/trimtab/src/bin/trimtab.ts'),
  'local',
]);
if (local.status !== 2)
  problems.push('trimtab local does not exit with code 2, although the local cluster is not installed');
for (const problem of problems) console.error(problem);
const own = sizeOf(path.join(folder, 'packages'));
const dependencies = sizeOf(path.join(folder, 'node_modules'));
console.log(`${folder}: ${megabytes(own + dependencies)}`);
console.log(`  ${megabytes(own).padStart(8)}  trimtab and kube`);
for (const [name, size] of largest(path.join(folder, 'node_modules')))
  console.log(`  ${megabytes(size).padStart(8)}  ${name}`);
process.exitCode = problems.length === 0 ? 0 : 1;

function locked(at: string): Record<string, { version?: string; integrity?: string }> {
  return JSON.parse(readFileSync(path.join(at, 'package-lock.json'), 'utf8')).packages;
}

function manifest(name: string, change: (manifest: Record<string, unknown>) => object): void {
  const text = readFileSync(path.join(root, name, 'package.json'), 'utf8');
  mkdirSync(path.join(folder, name), { recursive: true });
  writeFileSync(
    path.join(folder, name, 'package.json'),
    `${JSON.stringify(change(JSON.parse(text)), null, 2)}\n`,
  );
}

function largest(modules: string): [name: string, size: number][] {
  const sizes = readdirSync(modules).map((name): [string, number] => [
    name,
    sizeOf(path.join(modules, name)),
  ]);
  const [first, rest] = [sizes.sort((a, b) => b[1] - a[1]).slice(0, 5), sizes.slice(5)];
  return [...first, [`${rest.length} other dependencies`, rest.reduce((sum, [, size]) => sum + size, 0)]];
}

/** Does not follow links, so that a workspace is counted once. */
function sizeOf(at: string): number {
  if (lstatSync(at).isSymbolicLink()) return 0;
  return globSync('**', { cwd: at, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + lstatSync(path.join(parentPath, name)).size, 0);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
